// Drives the page in a real browser, at two widths and in both themes, and prints one line of JSON for each thing that was
// seen. Called by test_serve_page.py: page_steps.mjs MODULES CHROMIUM ADDRESS KEY ADMIN-KEY MODEL SHOTS
import fs from 'node:fs';
import { createRequire } from 'node:module';

const [modules, executablePath, address, key, adminKey, hasModel, shots] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { chromium } = require('playwright-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const say = (what, value) => console.log(JSON.stringify({ what, value }));

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
for (const [scheme, width] of [['light', 1200], ['dark', 375], ['dark', 1200], ['light', 375]]) {
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  const trouble = [];
  let wrongDraft = false;  // while a text that is no policy is tried, which is answered by 400
  page.on('request', (request) => { if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${address}/`)) trouble.push(`request to ${request.url()}`); });
  page.on('pageerror', (error) => trouble.push(`error ${error}`));
  page.on('console', (message) => { if (message.type() === 'error' && !(wrongDraft ? /400/ : /40[134]/).test(message.text())) trouble.push(`console ${message.text()}`); });
  page.on('dialog', (dialog) => { trouble.push('a dialog'); dialog.dismiss(); });

  const look = async (name) => {
    await page.screenshot({ path: `${shots}/${scheme}-${width}-${name}.png`, fullPage: true });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (wide > 0) trouble.push(`${name} is ${wide} pixels too wide`);
    // Run from outside the page, whose own policy would not let it in.
    const session = await context.newCDPSession(page);
    await session.send('Page.setBypassCSP', { enabled: true });
    const { result } = await session.send('Runtime.evaluate', { expression: `${axe}; axe.run().then((r) => JSON.stringify(r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target).join(' '))))`, awaitPromise: true });
    for (const violation of JSON.parse(result.value)) trouble.push(`${name}: ${violation}`);
    await session.detach();
  };
  const enter = async (text) => {
    await page.fill('#key', text);
    await page.click('#door button');
    await page.waitForSelector('#tabs [role=tab]');
  };
  const run = async (sql) => {
    await page.fill('#sql', sql);
    await page.press('#sql', 'Control+Enter');
    await page.waitForSelector('#query-answer .kind');
  };

  await page.goto(`${address}/`);
  await page.waitForSelector('#door:not([hidden])');
  await look('door');
  await page.fill('#key', 'nobody');
  await page.click('#door button');
  await page.waitForFunction(() => document.getElementById('door-said').textContent !== '');
  say('wrong key', await page.textContent('#door-said'));
  await enter(key);
  say('tabs', await page.locator('#tabs [role=tab]').allTextContents());
  say('databases', await page.locator('#database option').allTextContents());

  await page.selectOption('#database', 'shop');
  await page.click('#tab-schema');
  await page.waitForSelector('#schema table');
  say('schema', (await page.textContent('#schema')).includes('cost'));
  say('hidden', /customer|supplier code/.test(await page.content()));
  say('words whole', await page.evaluate(() => [...document.querySelectorAll('#schema th')].every((cell) => cell.clientHeight < 48)));
  await look('schema');

  await page.click('#tab-query');
  await page.fill('#sql', 'SELECT name FROM item WHERE pr');
  await page.press('#sql', 'Control+Space');
  await page.waitForSelector('#completions li');
  say('allowed', (await page.locator('#completions li:not([aria-disabled])').allTextContents()).map((text) => text.split(' ')[0]).includes('price'));
  await look('completions');
  await page.press('#sql', 'Enter');
  say('completed', await page.inputValue('#sql'));
  await page.press('#sql', 'Control+Space');
  await page.waitForSelector('#completions li');
  await page.press('#sql', 'Escape');
  say('closed', await page.isHidden('#completions'));
  await page.fill('#sql', 'SELECT cost FROM item');
  await page.waitForFunction(() => document.getElementById('sql-verdict').textContent.startsWith('unsafe'));
  await page.fill('#sql', 'SELECT name, price FROM item');
  say('stale', (await page.textContent('#sql-verdict')).startsWith('unsafe'));
  await run('SELECT name, price FROM item');
  await page.waitForSelector('[aria-label=Rows] tbody tr');
  say('cells', await page.locator('#query-answer tbody tr').first().locator('td').allTextContents());
  say('hostile', (await page.locator('#query-answer tbody').first().textContent()).includes('<img src=x onerror=alert(1)>'));
  await page.click('#query-answer thead button >> nth=1');
  say('sorted', await page.locator('[aria-label=Rows] tbody tr td:nth-child(2)').allTextContents());
  await page.click('#query-answer thead button >> nth=1');
  say('sorted back', await page.locator('[aria-label=Rows] tbody tr td:nth-child(2)').allTextContents());
  say('chart', await page.locator('#query-answer svg rect').count());
  say('chart words', await page.evaluate(() => document.querySelector('#query-answer svg text').getBoundingClientRect().height));
  await page.click('#query-answer button:has-text("Copy")');
  say('copied', (await page.evaluate(() => navigator.clipboard.readText())).split('\n')[0]);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#query-answer button:has-text("CSV")')]);
  say('csv', fs.readFileSync(await download.path(), 'utf8').split('\r\n')[0]);
  await look('rows');
  await page.evaluate(() => document.getElementById('query-answer').replaceChildren());
  await run('SELECT name, cost FROM item');
  say('refused', await page.textContent('#query-answer .kind'));
  await look('refused');

  // What comes from a database is text, whatever it looks like; and much of it is no trouble.
  await page.selectOption('#database', 'odd');
  await page.click('#tab-schema');
  await page.waitForFunction(() => document.querySelector('#schema h2')?.textContent.endsWith(' odd'));
  say('odd names', (await page.textContent('#schema')).includes('</script><script>alert(2)</script>'));
  say('columns', await page.locator('#schema tbody tr').count());
  await page.click('#tab-query');
  await run('SELECT * FROM "<img src=x onerror=alert(1)>"');
  say('odd cells', await page.locator('#query-answer tbody').first().locator('td').allTextContents());
  await look('odd');
  await page.evaluate(() => document.getElementById('query-answer').replaceChildren());
  await run('SELECT cell FROM big');
  say('big cell', (await page.locator('#query-answer tbody td').first().textContent()).length);
  await page.evaluate(() => document.getElementById('query-answer').replaceChildren());
  await run("SELECT '</script><img src=x onerror=alert(9)>\u202e' AS \"<b>\" FROM nowhere");
  say('odd query', (await page.textContent('#query-answer')).includes('nowhere'));
  await page.selectOption('#database', 'shop');

  if (hasModel === 'yes') {
    await page.click('#tab-ask');
    await page.fill('#question', 'How many items are there?');
    await page.press('#question', 'Enter');
    await page.waitForSelector('#ask-answer .kind', { timeout: 400000 });
    say('asked', await page.textContent('#ask-answer .kind'));
    await look('answer');
    await page.click('#tab-history');
    say('history', await page.locator('#history li').count());
    await look('history');
  }

  // Keyboard alone: the tabs are one stop, and arrows go through them.
  await page.click('#tab-query');
  await page.keyboard.press('ArrowRight');
  say('arrow', await page.evaluate(() => document.activeElement.id));

  await page.click('#leave');
  await page.waitForSelector('#door:not([hidden])');
  say('forgotten', await page.evaluate(() => sessionStorage.length));
  await enter(adminKey);
  say('admin tabs', await page.locator('#tabs [role=tab]').allTextContents());
  await page.click('#tab-policy');
  await page.waitForSelector('#policy table');
  say('policy', (await page.textContent('#policy')).includes('employee.ssn'));
  await look('policy');
  // A draft of somebody else's policy: tried, dropped, tried again, saved.
  const asked = 'SELECT name, price FROM item';
  const price = '#policy-matrix select[aria-label="item.price"]';
  const tried = () => page.waitForFunction(() => /^(A draft|As it holds)/.test(document.getElementById('policy-said').textContent));
  await page.selectOption('#policy-which', { label: 'analyst, for shop' });
  await page.waitForSelector(price);
  say('held', [await page.inputValue(price), await page.isDisabled('#policy-save')]);
  const before = await page.inputValue(price);
  await page.focus(price);
  await page.selectOption(price, before === 'Public' ? 'Hidden' : 'Public');
  await tried();
  say('drafted', [(await page.inputValue('#policy-text')).includes(before === 'Public' ? 'price: Hidden' : 'price: Public'), await page.isDisabled('#policy-save'), await page.evaluate(() => document.activeElement.getAttribute('aria-label'))]);
  say('would change', (await page.textContent('[aria-label="Answers that would change"]')).includes(asked));
  await look('draft');
  await page.click('#policy-drop');
  await page.waitForFunction(() => document.getElementById('policy-save').disabled);
  say('dropped', await page.inputValue(price));
  await page.fill('#policy-text', 'version: 1\ntables: {item: {nmae: Public}}');
  wrongDraft = true;
  await page.click('#policy-try');
  await page.waitForFunction(() => document.getElementById('policy-said').textContent.includes('nmae'));
  wrongDraft = false;
  say('no policy', (await page.textContent('#policy-said')).includes('the draft:2:'));
  await page.click('#policy-drop');
  await page.waitForFunction(() => document.getElementById('policy-save').disabled);
  await page.selectOption('#policy-matrix select[aria-label="sale.amount"]', { index: (await page.inputValue('#policy-matrix select[aria-label="sale.amount"]')) === 'Hidden' ? 1 : 3 });
  await tried();
  await page.click('#policy-save');
  await page.waitForFunction(() => document.getElementById('policy-said').textContent.startsWith('Saved'));
  say('saved', await page.isDisabled('#policy-save'));
  await page.click('#tab-audit');
  await page.waitForSelector('#audit table');
  say('audit', (await page.textContent('#audit')).includes('SELECT name, cost FROM item'));
  await page.fill('#audit-filter', 'policy saved');
  say('filtered', (await page.locator('#audit tbody tr').allTextContents()).every((text) => text.includes('policy saved')));
  await look('audit');
  say('trouble', trouble);
  await context.close();
}
await browser.close();
