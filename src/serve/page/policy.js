// For admins: a policy as a matrix, with what lint says beside it. A change makes a draft, which is tried on past questions at once
// and holds only when it is saved.
import { el, by, shown } from './dom.js';
import { get, post } from './net.js';

const LABELS = ['Public', 'ConditionOnly', 'AggregateOnly', 'Hidden'];
const MOST = 2000;

// What is open: the policy as it holds, and the draft of it.
let held = null;
let draft = null;
let turn = 0;

const same = (a, b) => a.tables[b.table]?.[b.column] === b.label;

function warnings(list, before) {
  const text = (one) => `${one.kind}: ${one.message}`;
  const old = new Set(before.map(text));
  const now = new Set(list.map(text));
  const line = (one) => el('li', {}, shown(text(one)), old.has(text(one)) ? null : el('strong', {}, ' (new)'));
  const gone = before.filter((one) => !now.has(text(one)));
  return [el('h3', {}, `What lint says (${list.length})`), list.length ? el('ul', {}, ...list.map(line)) : el('p', {}, 'Nothing.'),
    gone.length ? el('p', { class: 'faint' }, `Not any more: ${shown(gone.map((one) => one.message).join(' · '))}`) : null];
}

function past(found) {
  if (!found) return [el('p', {}, 'The audit cannot be read back, so nothing can be tried.')];
  const parts = [el('h3', {}, `Past questions (${found.tried} tried)`)];
  const line = (one) => el('tr', {}, el('td', {}, shown(one.who)), el('td', {}, shown(one.question || ''), el('code', {}, shown(one.sql))), el('td', { class: one.was }, one.was), el('td', { class: one.now }, one.now), el('td', { class: 'reason' }, shown(one.reason)));
  if (found.changed.length) {
    parts.push(el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Answers that would change' }, el('table', {}, el('caption', {}, found.changed.length === 1 ? 'One answer would change' : `${found.changed.length} answers would change`),
      el('thead', {}, el('tr', {}, ...['Who', 'What', 'Was', 'Would be', 'Why'].map((name) => el('th', { scope: 'col' }, name)))), el('tbody', {}, ...found.changed.slice(0, MOST).map(line)))));
  } else {
    parts.push(el('p', {}, found.tried ? 'No answer would change.' : 'Nothing has been asked under this policy.'));
  }
  if (found.refused_before.length) {
    parts.push(el('details', {}, el('summary', {}, `${found.refused_before.length} questions were refused without a query; whether they would have an answer shows when they are asked again`),
      el('ul', {}, ...found.refused_before.slice(0, MOST).map((one) => el('li', {}, shown(`${one.who}: ${one.question}`))))));
  }
  return parts;
}

async function tryOut(change, fail) {
  const mine = ++turn;
  const said = by('policy-said');
  said.textContent = 'Trying …';
  try {
    const next = await post('/v1/policy/try', { database: held.database, policy: held.policy, text: draft.text, ...change });
    if (mine !== turn) return;
    draft = next;
    show(fail);
    by('policy-said').textContent = draft.text === held.text ? 'As it holds.' : 'A draft; nothing has been changed yet.';
  } catch (error) {
    if (mine !== turn) return;
    if (error.status === 401) return fail(error, by('policy'));
    said.textContent = shown(error.message);
    for (const choice of by('policy-matrix').querySelectorAll('select')) choice.value = draft.tables[choice.dataset.table][choice.dataset.column];
  }
}

async function save(fail) {
  const said = by('policy-said');
  try {
    held = await post('/v1/policy/save', { database: held.database, policy: held.policy, text: draft.text, text_sha256: held.text_sha256 });
    draft = held;
    show(fail);
    by('policy-said').textContent = 'Saved; it holds from now on.';
  } catch (error) {
    if (error.status === 401) return fail(error, by('policy'));
    said.textContent = shown(error.message);
  }
}

function matrix(fail) {
  const rows = [];
  for (const [table, columns] of Object.entries(draft.tables)) {
    for (const [column, label] of Object.entries(columns)) {
      if (rows.length === MOST) break;
      const changed = !same(held, { table, column, label });
      const choice = el('select', { 'aria-label': shown(`${table}.${column}`), onchange: () => tryOut({ labels: [{ table, column, policy: choice.value }] }, fail) },
        ...LABELS.map((one) => el('option', { value: one, selected: one === label }, one)));
      choice.dataset.table = table;
      choice.dataset.column = column;
      rows.push(el('tr', { class: changed ? 'changed' : null }, el('th', { scope: 'row' }, shown(`${table}.${column}`)), el('td', {}, choice), el('td', {}, changed ? shown(`was ${held.tables[table]?.[column]}`) : '')));
    }
  }
  const all = Object.values(draft.tables).reduce((sum, columns) => sum + Object.keys(columns).length, 0);
  return [el('h3', {}, 'Columns'), el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Policy', id: 'policy-matrix' },
    el('table', {}, el('thead', {}, el('tr', {}, ...['Column', 'Policy', 'Change'].map((name) => el('th', { scope: 'col' }, name)))), el('tbody', {}, ...rows))),
  all > rows.length ? el('p', {}, `${all - rows.length} more columns are not shown; the text has them.`) : null];
}

function show(fail) {
  const focused = document.activeElement && document.activeElement.dataset.column !== undefined ? document.activeElement.getAttribute('aria-label') : null;
  const scrolled = by('policy-matrix') ? by('policy-matrix').scrollTop : 0;
  const which = el('select', { id: 'policy-which', onchange: () => {
    const [policy, database] = which.value.split(' ');
    open(database, policy, fail);
  } }, ...held.policies.map((one) => el('option', { value: `${one.policy} ${one.database}`, selected: one.policy === held.policy && one.database === held.database }, `${one.policy}, for ${one.database}`)));
  const text = el('textarea', { id: 'policy-text', rows: '12', spellcheck: 'false' });
  text.value = draft.text;
  const changed = draft.text !== held.text;
  by('policy').replaceChildren(el('h2', {}, 'Policy'), el('label', { for: 'policy-which' }, 'Which'), which,
    el('p', { class: 'faint' }, `SHA-256 ${held.sha256}`),
    el('p', { id: 'policy-said', role: 'status' }),
    el('div', { class: 'tools' }, el('button', { type: 'button', id: 'policy-save', disabled: !changed, onclick: () => save(fail) }, 'Save'),
      el('button', { type: 'button', id: 'policy-drop', disabled: !changed, onclick: () => open(held.database, held.policy, fail) }, 'Drop the draft')),
    el('div', { class: 'beside' }, el('div', {}, ...matrix(fail).filter(Boolean)), el('div', {}, ...warnings(draft.warnings, held.warnings).filter(Boolean))),
    ...(draft.past === undefined ? [] : past(draft.past)),
    el('h3', {}, 'The file'), el('label', { for: 'policy-text' }, 'Its text'), text,
    el('div', { class: 'tools' }, el('button', { type: 'button', id: 'policy-try', onclick: () => tryOut({ text: text.value }, fail) }, 'Try this text')));
  text.addEventListener('input', () => { by('policy-drop').disabled = false; });
  by('policy-matrix').scrollTop = scrolled;
  if (focused) [...by('policy-matrix').querySelectorAll('select')].find((one) => one.getAttribute('aria-label') === focused)?.focus();
}

async function open(database, policy, fail) {
  const mine = ++turn;
  try {
    const found = await get('/v1/policy', policy ? { database, policy } : { database });
    if (mine !== turn) return;
    held = found;
    draft = found;
    show(fail);
  } catch (error) {
    fail(error, by('policy'));
  }
}

// The admin's own for this database, where it is not open already.
export function showPolicy(database, fail) {
  return open(database, '', fail);
}
