"""Runs the test programs of one or more build folders and adds up their cases; called by ./test.

A case counts as passed only if it ran to its end without a failure. Skipped and disabled cases are listed with their
reason and counted on neither side. A program that crashes, hangs, reports nothing or fails outside its cases counts as
one failure, and a run without any case fails too: silence is not success.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

AT_ONCE = len(os.sched_getaffinity(0))
SECONDS_PER_FUZZER = 60
SLOW_CASE = 60  # seconds after which a long run says how long a case took
LIVE = set()  # running processes, each the leader of its own group, so that its children can be stopped with it


@dataclasses.dataclass
class Outcome:
    """What one program had to say."""

    name: str
    passed: int = 0
    failures: list = dataclasses.field(default_factory=list)  # (case, text)
    skipped: list = dataclasses.field(default_factory=list)  # (case, reason)
    seconds: float = 0.0

    def add(self, other):
        """Takes in what another case of the same program had to say."""
        self.passed += other.passed
        self.failures += other.failures
        self.skipped += other.skipped
        self.seconds += other.seconds
        return self

    def line(self):
        parts = [f"{self.passed} passed"]
        if self.failures:
            parts.append(f"{len(self.failures)} failed")
        if self.skipped:
            parts.append(f"{len(self.skipped)} skipped")
        return f"{self.name:<32} {', '.join(parts):<36} {self.seconds:7.1f} s"


def run(command, root, extra_env, timeout):
    """(exit status, output): the status is None when it ran out of time."""
    env = {**os.environ, **extra_env}
    try:
        process = subprocess.Popen(command, cwd=root, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    except OSError as problem:
        return 127, f"cannot be started: {problem}"
    LIVE.add(process)
    try:
        output, _ = process.communicate(timeout=timeout)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0]
    finally:
        LIVE.discard(process)


def ending(status, timeout):
    if status is None:
        return f"was stopped after {timeout} s"
    if status < 0:
        return f"was killed by {signal.Signals(-status).name}"
    return f"exited with status {status}"


def skip_reason(output, case):
    """What the case printed between `Skipped` and the line that says so."""
    pattern = rf"\[ RUN      \] {re.escape(case)}\n(?:.*\n)*?.*: Skipped\n((?:.*\n)*?)\[  SKIPPED \] {re.escape(case)} "
    found = re.search(pattern, output)
    return " ".join(found.group(1).split()) if found and found.group(1).strip() else "no reason given"


def read_report(outcome, report, output):
    """Adds the cases of GoogleTest's JSON report. Returns how many there were, run or not."""
    seen = 0
    for suite in report["testsuites"]:
        for case in suite["testsuite"]:
            name = f"{suite['name']}.{case['name']}"
            if case["result"] == "SUPPRESSED":
                if "DISABLED_" in name:
                    outcome.skipped.append((name, "disabled"))
                continue
            seen += 1
            if case.get("failures"):
                outcome.failures.append((name, "\n".join(f["failure"] for f in case["failures"])))
            elif case["result"] == "SKIPPED":
                outcome.skipped.append((name, skip_reason(output, name)))
            elif case["result"] == "COMPLETED":
                outcome.passed += 1
            else:
                outcome.failures.append((name, f"unknown result {case['result']}"))
    return seen


def run_gtest(program, label, options, env, case=None):
    """All cases of a program that the filter lets through, or the one that is named."""
    outcome = Outcome(label + program.name)
    pattern = case or (as_pattern(options.filter) if options.filter else None)
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        command = [str(program), f"--gtest_output=json:{report}", "--gtest_color=no"]
        if pattern:
            command.append(f"--gtest_filter={pattern}")
        status, output = run(command, options.root, env, options.timeout)
        try:
            seen = read_report(outcome, json.loads(report.read_text()), output)
        except (OSError, ValueError, KeyError) as problem:
            outcome.failures.append((program.name, f"{ending(status, options.timeout)}; no report ({problem})\n{output}"))
            return outcome
    if status != 0 and not outcome.failures:
        outcome.failures.append((program.name, f"{ending(status, options.timeout)}\n{output}"))
    elif seen == 0 and (case or not options.filter):
        outcome.failures.append((program.name, f"has no test case {case or ''}".rstrip()))
    return outcome


def cases_of(program, options, env):
    """The names of a program's cases that the filter lets through, in its own order."""
    pattern = [f"--gtest_filter={as_pattern(options.filter)}"] if options.filter else []
    status, output = run([str(program), "--gtest_list_tests", *pattern], options.root, env, options.timeout)
    names = []
    suite = ""
    for line in output.splitlines() if status == 0 else []:
        line = line.split("#")[0].rstrip()
        if line.startswith("  "):
            names.append(suite + line.strip())
        elif line.endswith("."):
            suite = line
    return names


def run_script(script, label, options, env):
    """A Python test: its last line of the form `N passed, N failed` counts, lines `skipped: name: reason` are kept."""
    outcome = Outcome(label + str(script.relative_to(options.root / "tests")))
    status, output = run([sys.executable, str(script)], options.root, env, options.timeout)
    outcome.skipped = [tuple(found) for found in re.findall(r"^skipped: ([^:\n]+): (.*)$", output, re.M)]
    counts = re.findall(r"^(\d+) passed, (\d+) failed$", output, re.M)
    passed, failed = map(int, counts[-1]) if counts else (0, 0)
    outcome.passed = passed
    if failed:
        outcome.failures = [(script.name, output)] + [(script.name, "(one more, above)")] * (failed - 1)
    elif status != 0 or not counts:
        outcome.failures = [(script.name, f"{ending(status, options.timeout)}\n{output}")]
    elif passed == 0 and not outcome.skipped:
        outcome.failures = [(script.name, f"has no test case\n{output}")]
    return outcome


def run_fuzzer(program, label, options, env):
    """New inputs are kept beside the program, so that each run goes on from the last; the seeds stay as they are."""
    outcome = Outcome(label + program.name)
    name = program.name.removeprefix("fuzz_")
    found = program.parent / f"found_{name}"
    found.mkdir(exist_ok=True)
    command = [str(program), f"-max_total_time={SECONDS_PER_FUZZER}", "-timeout=10", "-rss_limit_mb=2048",
               "-max_len=4096", "-print_final_stats=1", f"-artifact_prefix={program.parent}/crash_{name}_", str(found),
               str(options.root / "fuzz" / "corpus" / name)]
    dictionary = options.root / "fuzz" / f"{name}.dict"
    if dictionary.exists():
        command.insert(1, f"-dict={dictionary}")
    limit = SECONDS_PER_FUZZER + 120
    status, output = run(command, options.root, env, limit)
    if status == 0:
        outcome.passed = 1
        runs = re.search(r"stat::number_of_executed_units:\s*(\d+)", output)
        outcome.name += f" ({runs.group(1)} inputs)" if runs else ""
    else:
        outcome.failures.append((program.name, f"{ending(status, limit)}\n{output[-8000:]}"))
    return outcome


def as_pattern(text):
    return text if "*" in text or "?" in text else f"*{text}*"


def programs_of(folder):
    """The programs that this configuration of the build folder makes, in the order CMake wrote them."""
    listing = folder / "programs.txt"
    return [folder / name for name in listing.read_text().split()] if listing.exists() else []


def env_is_long(env):
    return env.get("PCCSQL_LONG", os.environ.get("PCCSQL_LONG", "")) != ""


def jobs_for(options):
    """(function, program, label, environment, further arguments) for everything to run.

    In a long run each case of the first build is a job of its own, with one thread where it could use several: a run then takes
    as long as its longest case, not as its longest program, and what has a time limit is not crowded out.
    """
    jobs = []
    for index, build in enumerate(options.builds):
        label = "" if index == 0 else f"{build.name}: "
        env = {"PCCSQL_BUILD": str(build), "UBSAN_OPTIONS": "print_stacktrace=1"}
        if index > 0:
            env["PCCSQL_LONG"] = ""  # under the sanitizers the short tests are long enough
        for program in programs_of(build / "tests"):
            cases = cases_of(program, options, env) if env_is_long(env) else []
            alone = {**env, "PCCSQL_TEST_THREADS": "1"}
            jobs += [(run_gtest, program, label, alone, case) for case in cases] or [(run_gtest, program, label, env)]
        if index == 0:
            scripts = sorted((options.root / "tests").rglob("test_*.py"))
            if options.filter:
                scripts = [s for s in scripts if options.filter.strip("*") in s.name]
            jobs += [(run_script, script, label, env) for script in scripts]
    if options.fuzz and not options.filter:
        jobs += [(run_fuzzer, program, "fuzz: ", {}) for program in programs_of(options.fuzz / "fuzz")]
    return jobs


def timed(job, options):
    function, program, label, env, *case = job
    begin = time.monotonic()
    outcome = function(program, label, options, env, *case)
    outcome.seconds = time.monotonic() - begin
    return outcome


def run_jobs(jobs, options):
    """Runs all of them, a line for each program as it ends. An interrupt leaves no program behind."""
    outcomes = []
    cases_left = collections.Counter(id(job[1]) for job in jobs)
    parts = {}  # what the cases of a program have said so far
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        running = [pool.submit(timed, job, options) for job in jobs]
        try:
            job_of = dict(zip(running, jobs))
            for future in concurrent.futures.as_completed(running):
                program = id(job_of[future][1])
                outcome = future.result()
                cases_left[program] -= 1
                if len(job_of[future]) > 4 and outcome.seconds > SLOW_CASE:
                    print(f"  {job_of[future][4]} took {outcome.seconds:.0f} s", flush=True)
                outcome = parts[program].add(outcome) if program in parts else parts.setdefault(program, outcome)
                if cases_left[program] > 0:
                    continue
                if options.filter and not (outcome.passed or outcome.failures or outcome.skipped):
                    continue
                print(outcome.line(), flush=True)
                outcomes.append(outcome)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(LIVE):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    return outcomes


def list_cases(jobs, options):
    for function, program, label, env, *case in jobs:
        if function is not run_gtest:
            print(f"{label}{program.name}")
            continue
        for name in case or cases_of(program, options, env):
            print(f"{label}{program.name} {name}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("builds", nargs="+", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--filter")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--fuzz", type=pathlib.Path)
    parser.add_argument("--timeout", type=int, default=3600 if os.environ.get("PCCSQL_LONG") else 540)
    options = parser.parse_args()
    jobs = jobs_for(options)
    if options.list:
        list_cases(jobs, options)
        return 0

    try:
        outcomes = run_jobs(jobs, options)
    except KeyboardInterrupt:
        return 130
    for outcome in outcomes:
        for case, reason in outcome.skipped:
            print(f"skipped: {case}: {reason}")
    for outcome in outcomes:
        for case, text in outcome.failures:
            print(f"\nFAILED {outcome.name} {case}\n{text.rstrip()}")
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(len(outcome.failures) for outcome in outcomes)
    if passed + failed == 0:
        print("\nno test ran" + (f": none is called {options.filter}" if options.filter else ""))
    print(f"{passed} passed, {failed} failed")
    return 0 if passed > 0 and failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
