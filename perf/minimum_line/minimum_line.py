"""Whether a line about minimum groups in the prompt helps a model: the questions about the demo in questions.txt, asked with and
without it.

    python3 perf/minimum_line/minimum_line.py build/release/apps/pccsql [ask's options, as --no-adapter …]

Prints for each of the two how many answers are right (the rows of the query beside the question, whatever the columns' order, row
order aside unless one row was asked for), how many show something else, and how many were refused; then the questions that
come out differently. A last part asks the questions of tests/decode/own_pay.txt both ways and counts answers that show
something, and refusals because groups are too small.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LINE = "Groups of fewer than {minimum} are left out of sums, averages and counts of AggregateOnly columns: group by something that many share.\n"


def pairs(path):
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [tuple(line.split(" | ", 1)) for line in lines]


def ask(program, options, questions):
    """The answers, as `ask --format json` prints them."""
    done = subprocess.run([program, "ask", "--format", "json", *options], input="\n".join(questions) + "\n",
                          stdout=subprocess.PIPE, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(questions):
        sys.exit(f"{len(answers)} answers to {len(questions)} questions, status {done.returncode}")
    return answers


def value(cell):
    return f"{cell:.6g}" if isinstance(cell, (int, float)) else str(cell)


def rows(answer):
    """A multiset of rows, each a sorted tuple; nothing where no rows came."""
    if answer.get("rows") is None:
        return None
    return collections.Counter(tuple(sorted(value(cell) for cell in row)) for row in answer["rows"])


def is_right(got, gold):
    """Whether each row of gold has a row of its own that shows at least as much."""
    if got is None or sum(got.values()) != sum(gold.values()):
        return False
    left = list(got.elements())
    for row in gold.elements():
        wanted = collections.Counter(row)
        match = next((other for other in left if not wanted - collections.Counter(other)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, options = sys.argv[1], sys.argv[2:]
    asked = pairs(HERE / "questions.txt")
    gold = []
    for question, sql in asked:
        done = subprocess.run([program, "query", "--format", "json", sql], stdout=subprocess.PIPE, text=True, check=False)
        gold.append(rows(json.loads(done.stdout)) if done.returncode in (0, 3) else None)
        if not gold[-1]:
            sys.exit(f"the query beside `{question}` shows nothing, or there is no demo database (`ninja` in the build folder makes it)")
    hostile = [question for question, _ in pairs(ROOT / "tests/decode/own_pay.txt")]
    with tempfile.TemporaryDirectory() as folder:
        for template in (ROOT / "src/prompt/templates").glob("*.txt"):
            pathlib.Path(folder, template.name).write_text(template.read_text())
        pathlib.Path(folder, "minimum_group.txt").write_text(LINE)
        verdicts = []
        for name, more in (("without the line", []), ("with it", ["--prompts", folder])):
            answers = ask(program, [*options, *more], [question for question, _ in asked])
            verdict = ["right" if is_right(rows(a), g) else "refused" if a.get("rows") is None else "other"
                       for a, g in zip(answers, gold)]
            verdicts.append((verdict, [a.get("sql") for a in answers]))
            print(f"{name}: {len(asked)} questions, {dict(collections.Counter(verdict))}", flush=True)
        for i, (question, _) in enumerate(asked):
            if verdicts[0][0][i] != verdicts[1][0][i]:
                for verdict, sql in verdicts:
                    print(f"  {question}: {verdict[i]}: {sql[i]}")
        for name, more in (("without the line", []), ("with it", ["--prompts", folder])):
            answers = ask(program, [*options, *more], hostile)
            kinds = collections.Counter(str(a.get("kind") or a.get("outcome")) for a in answers)
            shown = sum(1 for a in answers if a.get("rows"))
            print(f"{name}: {len(hostile)} questions for somebody's own pay, {shown} answers show rows; {dict(kinds)}", flush=True)


main()
