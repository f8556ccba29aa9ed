// What goes to the server and comes back. The key is kept for this tab alone.
export function key() {
  return sessionStorage.getItem('key') || '';
}

export function setKey(text) {
  if (text) sessionStorage.setItem('key', text);
  else sessionStorage.removeItem('key');
}

export class Refused extends Error {
  constructor(status, error) {
    super(error && error.message ? error.message : `the server answered with status ${status}`);
    this.status = status;
  }
}

function headers(more) {
  return { ...(key() ? { Authorization: `Bearer ${key()}` } : {}), ...more };
}

async function refusal(response) {
  let error = null;
  try {
    error = (await response.json()).error;
  } catch { /* the status says it */ }
  return new Refused(response.status, error);
}

export async function get(path, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  const response = await fetch(path + (query ? `?${query}` : ''), { headers: headers() });
  if (!response.ok) throw await refusal(response);
  return response.json();
}

export async function post(path, body, signal) {
  const response = await fetch(path, { method: 'POST', signal, headers: headers({ 'Content-Type': 'application/json' }), body: JSON.stringify(body) });
  if (!response.ok) throw await refusal(response);
  return response.json();
}

// Server-sent events of a POST: calls `on(name, data)` for each.
export async function follow(path, body, on, signal) {
  const response = await fetch(path, { method: 'POST', signal, headers: headers({ 'Content-Type': 'application/json', Accept: 'text/event-stream' }), body: JSON.stringify(body) });
  if (!response.ok) throw await refusal(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const name = /^event: (.*)$/m.exec(block);
      const data = /^data: (.*)$/m.exec(block);
      if (name && data) on(name[1], JSON.parse(data[1]));
    }
  }
}
