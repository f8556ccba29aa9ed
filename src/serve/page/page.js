// The page: who asks, which database, and the parts. Everything that it shows comes by the same doors as for everybody.
import { el, by, shown } from './dom.js';
import { get, setKey, key } from './net.js';
import { ask, stopAsking } from './ask.js';
import { showHistory } from './history.js';
import { closeCompletions, judgeAgain, listenToQuery, runQuery } from './query.js';
import { showPolicy } from './policy.js';
import { showAudit, showSchema } from './schema.js';

const PARTS = [['ask', 'Ask'], ['query', 'Query'], ['schema', 'Schema'], ['history', 'History'], ['policy', 'Policy'], ['audit', 'Audit']];
let open = 'ask';
let parts = [];

const database = () => by('database').value;

function fail(error, place) {
  if (error.status === 401) return knock(key() ? 'This key is nobody\'s.' : '');
  place.replaceChildren(el('p', { role: 'alert', class: 'failed' }, shown(error.message)));
}

function show(name) {
  open = name;
  for (const [part] of PARTS) by(part).hidden = part !== name;
  for (const tab of by('tabs').children) {
    const mine = tab.id === `tab-${name}`;
    tab.setAttribute('aria-selected', String(mine));
    tab.tabIndex = mine ? 0 : -1;
  }
  closeCompletions();
  if (name === 'schema') showSchema(database(), fail);
  if (name === 'history') showHistory((one) => {
    by('database').value = one.database;
    show('ask');
    ask(one.question, one.database, fail);
  });
  if (name === 'policy') showPolicy(database(), fail);
  if (name === 'audit') showAudit(fail);
}

function chooseDatabase(may) {
  by('database').hidden = by('database-label').hidden = !may;
}

function knock(said) {
  setKey('');
  by('door').hidden = false;
  by('door-said').textContent = said;
  by('leave').hidden = true;
  by('tabs').replaceChildren();
  by('database').replaceChildren();
  chooseDatabase(false);
  by('who').textContent = '';
  for (const [part] of PARTS) {
    by(part).hidden = true;
    if (part !== 'ask' && part !== 'query') by(part).replaceChildren();
  }
  by('ask-answer').replaceChildren();
  by('query-answer').replaceChildren();
  by('key').focus();
}

function makeTabs(admin) {
  parts = PARTS.filter(([name]) => admin || (name !== 'policy' && name !== 'audit'));
  by('tabs').replaceChildren(...parts.map(([name, word]) => el('button', { type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': name, onclick: () => show(name) }, word)));
}

async function enter() {
  let mine;
  try {
    mine = await get('/v1/databases');
  } catch (error) {
    if (error.status === 401) return knock(key() ? 'This key is nobody\'s.' : '');
    return fail(error, by('ask-answer'));
  }
  by('door').hidden = true;
  by('who').textContent = mine.who;
  by('leave').hidden = !key();
  by('database').replaceChildren(...mine.databases.map((one) => el('option', { value: one.name }, one.name)));
  chooseDatabase(true);
  makeTabs(mine.admin);
  if (!mine.questions) by('ask-answer').replaceChildren(el('p', { role: 'status' }, 'This server has no model: queries of your own can be checked and run, questions cannot be asked.'));
  show(mine.questions ? 'ask' : 'query');
}

by('door').addEventListener('submit', (event) => {
  event.preventDefault();
  setKey(by('key').value.trim());
  by('key').value = '';
  enter();
});
by('leave').addEventListener('click', () => {
  sessionStorage.removeItem('history');
  knock('');
});
by('database').addEventListener('change', () => {
  judgeAgain(database);
  show(open);
});
by('tabs').addEventListener('keydown', (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const names = parts.map(([name]) => name);
  const next = names[(names.indexOf(open) + step + names.length) % names.length];
  show(next);
  by(`tab-${next}`).focus();
});
by('ask-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const question = by('question').value.trim();
  if (question) ask(question, database(), fail);
});
by('question').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey) return;
  event.preventDefault();
  by('ask-form').requestSubmit();
});
by('ask-stop').addEventListener('click', stopAsking);
by('query-form').addEventListener('submit', (event) => {
  event.preventDefault();
  runQuery(database(), fail);
});
listenToQuery(database, fail);
enter();
