// Rows as a table that can be sorted, copied and kept as CSV; and as a chart, where their shape asks for one.
import { el, svg, shown } from './dom.js';

const MOST = 1000;
const SHORT = 40;  // characters of a text that stand in one line

function compare(a, b) {
  const rank = (value) => (value === null ? 0 : typeof value === 'number' ? 1 : 2);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  return a < b ? -1 : a > b ? 1 : 0;
}

// As `ask --format csv` writes it: what a spreadsheet would take for a formula gets an apostrophe.
function csv(columns, rows) {
  const field = (value) => {
    if (value === null) return '';
    let text = shown(value);
    if (typeof value === 'string' && /^[=+\-@\t\r\n]/.test(value)) text = `'${text}`;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((row) => row.map(field).join(',')).join('\r\n') + '\r\n';
}

function cell(value) {
  if (value === null) return el('td', { class: 'null' }, 'NULL');
  if (typeof value === 'number') return el('td', { class: 'number' }, String(value));
  const text = shown(value);
  if (text.length <= SHORT) return el('td', { class: 'text' }, text);
  return el('td', { class: 'text' }, el('div', { class: 'long', tabindex: text.length > 500 ? '0' : null }, text.length > 20000 ? `${text.slice(0, 20000)}…` : text));
}

function table(columns, rows) {
  let order = null;
  const body = el('tbody');
  const fill = () => {
    const sorted = order === null ? rows : [...rows].sort((a, b) => compare(a[order.column], b[order.column]) * order.way);
    body.replaceChildren(...sorted.slice(0, MOST).map((row) => el('tr', {}, ...row.map(cell))));
  };
  const heads = columns.map((name, column) => {
    const numbers = rows.some((row) => typeof row[column] === 'number') && rows.every((row) => row[column] === null || typeof row[column] === 'number');
    const head = el('th', { scope: 'col', 'aria-sort': 'none', class: numbers ? 'number' : null });
    head.append(el('button', { type: 'button', onclick: () => {
      order = { column, way: order && order.column === column ? -order.way : 1 };
      heads.forEach((other) => other.setAttribute('aria-sort', 'none'));
      head.setAttribute('aria-sort', order.way > 0 ? 'ascending' : 'descending');
      fill();
    } }, shown(name)));
    return head;
  });
  fill();
  const count = `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}${rows.length > MOST ? `, ${MOST} of them shown; the CSV has all` : ''}`;
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Rows' },
    el('table', {}, el('caption', {}, count), el('thead', {}, el('tr', {}, ...heads)), body));
}

function tools(columns, rows, said) {
  const copy = async () => {
    const text = [columns, ...rows].map((row) => row.map((value) => (value === null ? '' : shown(value).replace(/[\t\r\n]/g, ' '))).join('\t')).join('\n');
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = 'Copied.';
    } catch {
      said.textContent = 'The browser does not let this page copy.';
    }
  };
  const keep = () => {
    const link = el('a', { href: URL.createObjectURL(new Blob([csv(columns, rows)], { type: 'text/csv' })), download: 'rows.csv' });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  return el('div', { class: 'tools' }, el('button', { type: 'button', onclick: copy }, 'Copy'), el('button', { type: 'button', onclick: keep }, 'CSV'), said);
}

// One name and one number a row: bars, or a line where the names are years, months or days in order. A unit of the picture is a
// pixel of a page that is `room` wide, so that its words are as large as those around it.
export function chart(columns, rows, room) {
  if (columns.length !== 2 || rows.length < 2 || rows.length > 60) return null;
  if (!rows.every((row) => typeof row[1] === 'number' && Number.isFinite(row[1]) && row[0] !== null)) return null;
  const names = rows.map((row) => shown(row[0]));
  const values = rows.map((row) => row[1]);
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  if (low === high || new Set(names).size < names.length) return null;
  const title = `${shown(columns[1])} by ${shown(columns[0])}`;
  const wide = Math.min(640, Math.max(280, room));
  const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  const inTime = names.every((name) => /^(\d{4}(-\d\d){0,2})$/.test(name)) && names.every((name, i) => i === 0 || names[i - 1] < name);
  if (inTime) {
    const at = (i) => 60 + (i * (wide - 80)) / (names.length - 1);
    const up = (value) => 190 - ((value - low) * 170) / (high - low);
    const image = svg('svg', { viewBox: `0 0 ${wide} 220`, width: wide, role: 'img', 'aria-label': title }, svg('title', {}, title),
      svg('line', { class: 'axis', x1: 60, x2: wide - 20, y1: up(0), y2: up(0) }),
      svg('path', { class: 'path', d: values.map((value, i) => `${i ? 'L' : 'M'}${at(i)} ${up(value)}`).join(' ') }));
    values.forEach((value, i) => image.append(svg('circle', { class: 'dot', cx: at(i), cy: up(value), r: 3 }, svg('title', {}, `${names[i]}: ${value}`))));
    image.append(svg('text', { x: 0, y: up(high) + 4 }, String(high)), svg('text', { x: 0, y: up(low) + 4 }, String(low)),
      svg('text', { x: 60, y: 212 }, names[0]), svg('text', { x: wide - 20, y: 212, 'text-anchor': 'end' }, names[names.length - 1]));
    return image;
  }
  const image = svg('svg', { viewBox: `0 0 ${wide} ${rows.length * 20 + 4}`, width: wide, role: 'img', 'aria-label': title }, svg('title', {}, title));
  const letters = Math.floor(wide / 24);
  const begins = letters * 7.5 + 6;
  const x = (value) => begins + ((value - low) * (wide - begins - 90)) / (high - low);
  rows.forEach(([, value], i) => {
    const begin = x(Math.min(0, value));
    image.append(svg('text', { x: 0, y: i * 20 + 15 }, short(names[i], letters)),
      svg('rect', { class: 'bar', x: begin, y: i * 20 + 3, width: Math.max(1, x(Math.max(0, value)) - begin), height: 15 }, svg('title', {}, `${names[i]}: ${value}`)),
      svg('text', { x: x(Math.max(0, value)) + 4, y: i * 20 + 15 }, short(String(Math.round(value * 100) / 100), 12)));
  });
  return image;
}

export function showRows(columns, rows) {
  const said = el('span', { role: 'status' });
  const parts = [tools(columns, rows, said), table(columns, rows)];
  const picture = chart(columns, rows, document.documentElement.clientWidth - 32);
  if (picture) parts.splice(1, 0, picture);
  return parts;
}
