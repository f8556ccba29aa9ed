// The question, and its query as it is written.
import { el, by, shown } from './dom.js';
import { follow } from './net.js';
import { showAnswer } from './answer.js';
import { remember } from './history.js';

let running = null;

export async function ask(question, database, fail) {
  if (running) running.abort();
  const mine = new AbortController();
  running = mine;
  by('question').value = question;
  by('ask-stop').hidden = false;
  const place = by('ask-answer');
  const query = el('pre', { 'aria-label': 'The query' });
  const state = el('p', { role: 'status' }, 'The query is being written …');
  place.replaceChildren(state, query);
  let answer = null;
  try {
    await follow('/v1/ask', { question, database }, (name, data) => {
      if (name === 'token') {
        if (data.restart) query.replaceChildren(...query.querySelectorAll('.blocked'));  // what was not let be written stays told
        query.append(shown(data.text));
      } else if (name === 'blocked') {
        query.append(el('span', { class: 'blocked', title: shown(data.why), tabindex: '0', 'aria-label': `blocked: ${shown(data.name)}: ${shown(data.why)}` }, shown(data.name)));
      } else if (name === 'done') {
        answer = data;
      } else if (name === 'error') {
        throw new Error(data.error.message);
      }
    }, mine.signal);
    if (!answer) throw new Error('the connection broke off before there was an answer');
    // What was written need not be what counts: it may have been refused since.
    const written = [...query.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join('');
    const same = answer.sql !== null && written === shown(answer.sql);
    place.replaceChildren(...showAnswer(answer, same ? query : null, (other) => ask(other, database, fail)));
    place.tabIndex = -1;
    place.focus();
    remember(database, question, answer);
  } catch (error) {
    if (error.name === 'AbortError') place.replaceChildren(el('p', { role: 'status' }, 'Stopped.'));
    else fail(error, place);
  } finally {
    if (running === mine) {
      running = null;
      by('ask-stop').hidden = true;
    }
  }
}

export function stopAsking() {
  if (running) running.abort();
}
