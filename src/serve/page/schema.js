// What the caller may use: a matrix of columns and what they are for. For admins: the policy, and the audit.
import { el, by, shown } from './dom.js';
import { get } from './net.js';

const ROLES = [['Sel', 'Show'], ['Join', 'Join'], ['Where', 'Filter'], ['Agg', 'Aggregate']];

function head(...names) {
  return el('thead', {}, el('tr', {}, ...names.map((name) => el('th', { scope: 'col' }, name))));
}

function scroll(label, table) {
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label }, table);
}

export async function showSchema(database, fail) {
  const place = by('schema');
  try {
    const schema = await get('/v1/schema', { database });
    const parts = [el('h2', {}, `What you may use of ${schema.database}`)];
    for (const table of schema.tables) {
      const line = (column) => el('tr', {}, el('th', { scope: 'row' }, shown(column.name)), el('td', {}, shown(column.type)), el('td', {}, column.policy),
        ...ROLES.map(([role, word]) => el('td', { class: 'mark' }, column.for.includes(role) ? el('span', { role: 'img', 'aria-label': `${word}: yes` }, '✓') : el('span', { class: 'faint', role: 'img', 'aria-label': `${word}: no` }, '–'))));
      parts.push(el('h3', {}, shown(table.name), ' ', el('span', { class: 'faint' }, table.kind + (table.min_group > 1 ? `, in groups of at least ${table.min_group}` : ''))));
      parts.push(scroll(`Columns of ${table.name}`, el('table', {}, head('Column', 'Type', 'Policy', ...ROLES.map(([, word]) => word)), el('tbody', {}, ...table.columns.slice(0, 2000).map(line)))));
      if (table.columns.length > 2000) parts.push(el('p', {}, `${table.columns.length - 2000} more columns are not shown.`));
    }
    if (schema.tables.length === 0) parts.push(el('p', {}, 'Nothing of this database is open to you.'));
    place.replaceChildren(...parts);
  } catch (error) {
    fail(error, place);
  }
}

export async function showPolicy(database, fail) {
  const place = by('policy');
  try {
    const policy = await get('/v1/policy', { database });
    const rows = [];
    for (const [table, columns] of Object.entries(policy.tables)) {
      for (const [column, label] of Object.entries(columns)) rows.push(el('tr', {}, el('th', { scope: 'row' }, shown(`${table}.${column}`)), el('td', {}, label)));
    }
    const warnings = policy.warnings || [];
    place.replaceChildren(el('h2', {}, `Policy ${policy.policy} of ${policy.database}`), el('p', { class: 'faint' }, `SHA-256 ${policy.sha256}`),
      el('h3', {}, `What lint says (${warnings.length})`), warnings.length ? el('ul', {}, ...warnings.map((one) => el('li', {}, shown(`${one.kind}: ${one.message}`)))) : el('p', {}, 'Nothing.'),
      el('h3', {}, 'Columns'), scroll('Policy', el('table', {}, head('Column', 'Policy'), el('tbody', {}, ...rows.slice(0, 5000)))),
      el('h3', {}, 'The file'), el('pre', {}, shown(policy.text || '')));
  } catch (error) {
    fail(error, place);
  }
}

export async function showAudit(fail) {
  const place = by('audit');
  try {
    const { lines } = await get('/v1/audit', { limit: 200 });
    const line = (one) => el('tr', {}, el('td', {}, shown(one.time)), el('td', {}, shown(one.who || '')), el('td', {}, shown([one.door, one.database].filter(Boolean).join(' '))),
      el('td', {}, shown(one.kind)), el('td', {}, el('div', { class: 'long' }, shown(one.question || one.sql || one.what || '')), one.question && one.sql ? el('code', {}, shown(one.sql)) : null), el('td', {}, shown(one.verdict || one.status || '')), el('td', {}, shown(one.reason || '')));
    place.replaceChildren(el('h2', {}, 'Audit'), scroll('Audit', el('table', {}, el('caption', {}, `The last ${lines.length} lines, the newest first`), head('Time', 'Who', 'Where', 'Kind', 'What', 'Verdict', 'Reason'), el('tbody', {}, ...lines.map(line)))));
  } catch (error) {
    fail(error, place);
  }
}
