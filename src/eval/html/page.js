// The drill-down of a report. Everything a run brought is put on the page as text nodes, never as markup.
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const step = 50;
  let shown = step;

  function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    for (const child of children) {
      if (child === null || child === undefined) continue;
      node.appendChild(typeof child === "object" ? child : document.createTextNode(String(child)));
    }
    return node;
  }

  const names = ["row", "outcome", "gold", "rows", "db", "cause", "text"];
  const filter = {};
  for (const name of names) filter[name] = document.getElementById("filter-" + name);

  function fill(select, options) {
    const before = select.value;
    select.replaceChildren(...options.map(([value, text]) => el("option", { value: value }, text)));
    if (options.some(([value]) => value === before)) select.value = before;
  }

  function distinct(values) {
    return [...new Set(values.filter((value) => value))].sort();
  }

  function answers() {
    return data.rows[Number(filter.row.value) || 0].answers;
  }

  function fill_causes() {
    fill(filter.cause, [["", "all"], ...distinct(answers().map((answer) => answer.missed)).map((v) => [v, v])]);
  }

  function wanted(answer) {
    const question = data.questions[answer.question];
    if (filter.outcome.value && answer.outcome !== filter.outcome.value) return false;
    if (filter.gold.value && answer.gold_label !== filter.gold.value) return false;
    if (filter.rows.value && String(answer.right) !== filter.rows.value) return false;
    if (filter.db.value && question.db_id !== filter.db.value) return false;
    if (filter.cause.value && answer.missed !== filter.cause.value) return false;
    const text = filter.text.value.trim().toLowerCase();
    if (!text) return true;
    return [question.id, question.question, answer.sql || "", question.gold_sql].some((part) =>
      part.toLowerCase().includes(text));
  }

  function badge(answer) {
    const is_sql = answer.outcome === "safe_sql" || answer.outcome === "unsafe_sql";
    const right = !is_sql || answer.right === null ? "" : answer.right ? ", right rows" : ", wrong rows";
    return el("span", { class: "badge outcome-" + answer.outcome }, answer.outcome + right);
  }

  function table(headings, rows) {
    const head = el("tr", {}, ...headings.map((heading) => el("th", { class: "words" }, heading)));
    const body = rows.map((row) => el("tr", {}, ...row.map((cell) =>
      el("td", { class: "words" }, cell === null ? "NULL" : cell))));
    return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, head), el("tbody", {}, ...body)));
  }

  function section(title, node) {
    return [el("h4", {}, title), node];
  }

  function text_section(title, text, kind) {
    return text ? section(title, el("pre", { class: kind || "" }, text)) : [];
  }

  function costs(answer) {
    const cost = answer.cost;
    return cost.calls + " calls; " + cost.prompt_tokens + " prompt tokens, " + cost.cached_prompt_tokens +
      " of them cached; " + cost.generated_tokens + " generated, " + cost.forced_tokens + " of them forced, " +
      cost.discarded_tokens + " taken back; masks " + (cost.mask_ns / 1e6).toFixed(2) + " ms, all " +
      (cost.total_ns / 1e6).toFixed(0) + " ms";
  }

  function rows_of(answer) {
    if (answer.row_count === null) return [];
    const more = answer.row_count > answer.rows.length ? " (the first " + answer.rows.length + ")" : "";
    return section("rows: " + answer.row_count + more, table(answer.columns, answer.rows));
  }

  function uses_of(answer) {
    if (!answer.uses.length) return [];
    return section("uses", table(["column", "role", "policy", "permitted"], answer.uses.map((use) =>
      [use.column, use.role, use.policy, use.permitted ? "yes" : el("span", { class: "no" }, "no")])));
  }

  function others_of(answer) {
    const rows = [];
    data.rows.forEach((row, index) => {
      if (String(index) === filter.row.value) return;
      const other = row.answers.find((one) => one.question === answer.question);
      if (other) rows.push([row.label, badge(other), other.sql || other.reason]);
    });
    return rows.length ? section("the other runs", table(["run", "outcome", "SQL"], rows)) : [];
  }

  function content(answer) {
    const question = data.questions[answer.question];
    const prompt = (data.prompts[answer.prompt] || []).map(([role, text]) => "[" + role + "]\n" + text).join("\n");
    const attempts = answer.attempts.length > 1 ? section("attempts", table(["outcome", "output"], answer.attempts)) : [];
    const blocked = answer.blocked.length ? section("names the mask took away", table(
      ["name", "as", "why"], answer.blocked)) : [];
    return el("div", { class: "inner" },
      ...text_section("verdict", answer.reason || answer.outcome),
      ...text_section("missed as", answer.missed),
      ...text_section("SQL", answer.sql),
      ...text_section("gold SQL (" + answer.gold_label + ")", question.gold_sql),
      ...(answer.empty_answer ? text_section("empty answer", answer.empty_answer) : []),
      ...uses_of(answer), ...blocked, ...rows_of(answer), ...attempts,
      ...text_section("withheld", answer.withheld),
      ...text_section("output", answer.output === answer.sql ? "" : answer.output),
      ...text_section("evidence", question.evidence),
      ...text_section("prompt", prompt + answer.asked, "prompt"),
      ...text_section("cost", costs(answer)), ...others_of(answer));
  }

  function entry(answer) {
    const question = data.questions[answer.question];
    const node = el("details", { class: "answer" }, el("summary", {}, badge(answer),
      el("span", { class: "id" }, question.id + " · " + question.db_id), question.question));
    node.addEventListener("toggle", () => {
      if (node.open && node.children.length === 1) node.appendChild(content(answer));
    });
    return node;
  }

  function show() {
    const found = answers().filter(wanted);
    document.getElementById("found").textContent = found.length + " of " + answers().length + " questions";
    document.getElementById("answers").replaceChildren(...found.slice(0, shown).map(entry));
    document.getElementById("more").hidden = found.length <= shown;
  }

  function changed() {
    shown = step;
    show();
  }

  fill(filter.row, data.rows.map((row, index) => [String(index), row.label]));
  fill(filter.db, [["", "all"], ...distinct(data.questions.map((one) => one.db_id)).map((v) => [v, v])]);
  fill_causes();
  filter.row.addEventListener("change", fill_causes);
  for (const name of names) filter[name].addEventListener(name === "text" ? "input" : "change", changed);
  document.getElementById("more").addEventListener("click", () => {
    shown += step;
    show();
  });
  for (const button of document.querySelectorAll("button.class")) {
    button.addEventListener("click", () => {
      for (const name of names) filter[name].value = "";
      filter.row.value = button.getAttribute("data-row");
      fill_causes();
      filter.cause.value = button.getAttribute("data-cause");
      filter.gold.value = button.getAttribute("data-gold");
      changed();
      document.getElementById("questions").scrollIntoView();
    });
  }
  show();
})();
