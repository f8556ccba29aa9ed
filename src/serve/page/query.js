// A query of one's own: judged while it is written, with what may come next, and why not.
import { el, by, shown } from './dom.js';
import { post } from './net.js';
import { showAnswer } from './answer.js';

let timer = null;
let completing = 0;
let judging = 0;
let entries = [];
let chosen = -1;

const box = () => by('completions');
const field = () => by('sql');

export function closeCompletions() {
  ++completing;
  box().hidden = true;
  entries = [];
  chosen = -1;
  field().removeAttribute('aria-activedescendant');
}

function choose(at) {
  chosen = at;
  for (const [i, item] of [...box().querySelectorAll('li')].entries()) item.setAttribute('aria-selected', String(i === at));
  const item = box().querySelector(`#completion-${at}`);
  if (!item) return;
  item.scrollIntoView({ block: 'nearest' });
  field().setAttribute('aria-activedescendant', item.id);
}

function take(entry) {
  if (!entry || entry.blocked) return;
  const at = field().selectionStart;
  const before = field().value.slice(0, at);
  const begun = /[\w$"]*$/.exec(before)[0];
  const fits = begun && entry.text.toLowerCase().startsWith(begun.toLowerCase());
  const kept = fits ? before.slice(0, before.length - begun.length) : before;
  field().setRangeText(kept + entry.text + (entry.text.endsWith('(') ? '' : ' '), 0, at, 'end');
  closeCompletions();
  field().focus();
  field().dispatchEvent(new Event('input'));
}

export async function complete(database, fail) {
  const prefix = field().value.slice(0, field().selectionStart);
  const mine = ++completing;
  let reply;
  try {
    reply = await post('/v1/explain', { prefix, database });
  } catch (error) {
    return fail(error, by('query-answer'));
  }
  if (mine !== completing) return;
  const list = el('ul', { role: 'listbox', 'aria-label': 'What may come next' });
  entries = [];
  const add = (text, about, blocked) => {
    const entry = { text, blocked };
    const item = el('li', { role: 'option', id: `completion-${entries.length}`, 'aria-selected': 'false', 'aria-disabled': blocked ? 'true' : null, onclick: () => take(entry) },
      shown(text), ' ', el('span', { class: 'faint' }, shown(about)));
    entries.push(entry);
    list.append(item);
  };
  for (const name of reply.allowed) add(name.text, name.detail, false);
  for (const lexeme of reply.lexemes) if (!/^</.test(lexeme)) add(lexeme, '', false);
  for (const name of reply.blocked) add(name.text, name.detail, true);
  const said = reply.admitted ? `${reply.clause || 'the beginning'}${reply.role ? `, used as ${reply.role}` : ''}${reply.may_end ? '; may end here' : ''}` : `stopped at byte ${reply.byte}: ${reply.reason}`;
  box().replaceChildren(el('p', { class: 'faint', role: 'status' }, shown(said)), list);
  box().hidden = false;
  choose(entries.length ? 0 : -1);
}

async function judge(database) {
  const sql = field().value;
  const said = by('sql-verdict');
  if (!sql.trim()) return;
  const mine = ++judging;
  try {
    const reply = await post('/v1/check', { sql, database });
    if (mine !== judging) return;
    said.replaceChildren(el('span', { class: `kind ${reply.verdict}` }, reply.verdict), ` ${shown(reply.reason)}`);
  } catch { /* then nothing is said of it */ }
}

// Of another text, or of the same for another database, the verdict that stands there says nothing.
export function judgeAgain(database) {
  clearTimeout(timer);
  ++judging;
  by('sql-verdict').textContent = '';
  timer = setTimeout(() => judge(database()), 400);
}

export function listenToQuery(database, fail) {
  field().setAttribute('aria-autocomplete', 'list');
  field().addEventListener('input', () => {
    judgeAgain(database);
    if (!box().hidden) complete(database(), fail);
  });
  field().addEventListener('keydown', (event) => {
    const open = !box().hidden;
    if (event.key === ' ' && event.ctrlKey) complete(database(), fail);
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) by('query-form').requestSubmit();
    else if (open && event.key === 'ArrowDown') choose(Math.min(chosen + 1, entries.length - 1));
    else if (open && event.key === 'ArrowUp') choose(Math.max(chosen - 1, 0));
    else if (open && event.key === 'Enter') take(entries[chosen]);
    else if (open && event.key === 'Escape') closeCompletions();
    else return;
    event.preventDefault();
  });
}

export async function runQuery(database, fail) {
  closeCompletions();
  const place = by('query-answer');
  place.replaceChildren(el('p', { role: 'status' }, 'Running …'));
  try {
    const answer = await post('/v1/run', { sql: field().value, database });
    place.replaceChildren(...showAnswer(answer, null, null));
    place.tabIndex = -1;
    place.focus();
  } catch (error) {
    fail(error, place);
  }
}
