// An answer: its kind, what is to be said of it, the query, its rows, and what each column was used for.
import { el, shown } from './dom.js';
import { showRows } from './rows.js';

const KINDS = { answered: 'Answered', partial: 'Answered in part', refused: 'Refused', failed: 'No answer' };
const ROLES = { Sel: 'shown, grouped or ordered by', Join: 'joined by', Where: 'a condition', Agg: 'inside a count, sum or average' };

export function notes(answer) {
  const said = [];
  for (const name of answer.blocked) said.push(`The model wanted ${name.name}: ${name.why}`);
  for (const use of answer.withheld) said.push(`Withheld: ${use.name} as ${use.use} (${use.why})`);
  if (answer.left_out && answer.left_out !== answer.reason) said.push(answer.left_out);
  if (answer.reason) said.push(answer.reason);
  return said;
}

function uses(answer) {
  if (answer.uses.length === 0) return null;
  const line = (use) => el('tr', {}, el('td', {}, shown(`${use.table}.${use.column}`)), el('td', {}, ROLES[use.role] || use.role), el('td', {}, use.policy), el('td', { class: use.permitted ? 'safe' : 'unsafe' }, use.permitted ? 'permitted' : 'not permitted'));
  return el('details', {}, el('summary', {}, 'What each column was used for'),
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Uses' }, el('table', {}, el('thead', {}, el('tr', {}, ...['Column', 'Used as', 'Policy', ''].map((name) => el('th', { scope: 'col' }, name)))),
      el('tbody', {}, ...answer.uses.map(line)))));
}

// `ask`, called with a question, where there are others that may be asked instead.
export function showAnswer(answer, query, ask) {
  const parts = [el('p', {}, el('span', { class: `kind ${answer.kind}` }, KINDS[answer.kind] || answer.kind))];
  if (query) parts.push(query);
  else if (answer.sql) parts.push(el('pre', {}, shown(answer.sql)));
  const said = notes(answer);
  if (said.length) parts.push(el('ul', {}, ...said.map((text) => el('li', {}, shown(text)))));
  if (answer.question && answer.computed) parts.push(el('p', { class: 'faint' }, shown(`Computed: ${answer.computed}`)));
  if (answer.instead.length && ask) {
    parts.push(el('p', {}, 'May be asked instead:'), el('ul', {}, ...answer.instead.map((question) => el('li', {}, el('button', { type: 'button', onclick: () => ask(question) }, shown(question))))));
  }
  if (answer.rows) parts.push(...showRows(answer.columns, answer.rows));
  if (answer.run) parts.push(el('details', {}, el('summary', {}, 'The query as it was run'), el('pre', {}, shown(answer.run))));
  const used = uses(answer);
  if (used) parts.push(used);
  return parts;
}
