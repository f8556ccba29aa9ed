// What was asked in this tab, the newest first.
import { el, by, shown } from './dom.js';

const MOST = 100;

export function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem('history') || '[]');
  } catch {
    return [];
  }
}

export function remember(database, question, answer) {
  const all = [{ database, question, kind: answer.kind, sql: answer.sql, when: new Date().toISOString() }, ...remembered()].slice(0, MOST);
  try {
    sessionStorage.setItem('history', JSON.stringify(all));
  } catch { /* a full store forgets */ }
}

export function showHistory(again) {
  const all = remembered();
  const line = (one) => el('li', {}, el('span', { class: `kind ${one.kind}` }, one.kind), ' ', el('button', { type: 'button', onclick: () => again(one) }, shown(one.question)),
    ' ', el('span', { class: 'faint' }, `${one.database}, ${new Date(one.when).toLocaleString()}`), one.sql ? el('pre', {}, shown(one.sql)) : null);
  by('history').replaceChildren(el('h2', {}, 'History'), all.length ? el('ul', { class: 'plain' }, ...all.map(line)) : el('p', {}, 'Nothing has been asked in this tab.'));
}
