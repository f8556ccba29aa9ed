// What the caller may use: a matrix of columns and what they are for. For admins: the audit.
import { el, by, shown } from './dom.js';
import { get } from './net.js';

const ROLES = [['Sel', 'Show'], ['Join', 'Join'], ['Where', 'Filter'], ['Agg', 'Aggregate']];

function head(names, marks = []) {
  return el('thead', {}, el('tr', {}, ...names.map((name) => el('th', { scope: 'col', class: marks.includes(name) ? 'mark' : null }, name))));
}

function scroll(label, table) {
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label }, table);
}

export async function showSchema(database, fail) {
  const place = by('schema');
  try {
    const schema = await get('/v1/schema', { database });
    const marks = ROLES.map(([, word]) => word);
    const parts = [el('h2', {}, `What you may use of ${schema.database}`)];
    for (const table of schema.tables) {
      const line = (column) => el('tr', {}, el('th', { scope: 'row' }, shown(column.name)),
        ...ROLES.map(([role, word]) => el('td', { class: 'mark' }, column.for.includes(role) ? el('span', { role: 'img', 'aria-label': `${word}: yes` }, '✓') : el('span', { class: 'faint', role: 'img', 'aria-label': `${word}: no` }, '–'))), el('td', {}, column.policy), el('td', {}, shown(column.type)));
      parts.push(el('h3', {}, shown(table.name), ' ', el('span', { class: 'faint' }, table.kind + (table.min_group > 1 ? `, in groups of at least ${table.min_group}` : ''))));
      parts.push(scroll(`Columns of ${table.name}`, el('table', {}, head(['Column', ...marks, 'Policy', 'Type'], marks), el('tbody', {}, ...table.columns.slice(0, 2000).map(line)))));
      if (table.columns.length > 2000) parts.push(el('p', {}, `${table.columns.length - 2000} more columns are not shown.`));
    }
    if (schema.tables.length === 0) parts.push(el('p', {}, 'Nothing of this database is open to you.'));
    place.replaceChildren(...parts);
  } catch (error) {
    fail(error, place);
  }
}

export async function showAudit(fail) {
  const place = by('audit');
  try {
    const { lines } = await get('/v1/audit', { limit: 200 });
    const line = (one) => el('tr', {}, el('td', { class: 'time' }, shown(one.time)), el('td', {}, shown(one.who || '')), el('td', {}, shown([one.door, one.database].filter(Boolean).join(' '))),
      el('td', {}, shown(one.kind)), el('td', {}, el('div', { class: 'long' }, shown(one.question || one.sql || one.prefix || one.what || one.policy || '')), one.question && one.sql ? el('code', {}, shown(one.sql)) : null), el('td', {}, shown(one.verdict || one.status || '')), el('td', { class: 'reason' }, shown(one.reason || '')));
    const body = el('tbody');
    const caption = el('caption');
    const wanted = el('input', { id: 'audit-filter', type: 'search', autocomplete: 'off', oninput: () => fill() });
    const fill = () => {
      const word = wanted.value.trim().toLowerCase();
      const some = lines.filter((one) => !word || JSON.stringify(one).toLowerCase().includes(word));
      caption.textContent = word ? `${some.length} of the last ${lines.length} lines` : `The last ${lines.length} lines, the newest first`;
      body.replaceChildren(...some.map(line));
    };
    fill();
    place.replaceChildren(el('h2', {}, 'Audit'), el('label', { for: 'audit-filter' }, 'Lines that hold'), wanted,
      scroll('Audit', el('table', {}, caption, head(['Time', 'Who', 'Where', 'Kind', 'What', 'Verdict', 'Reason']), body)));
  } catch (error) {
    fail(error, place);
  }
}
