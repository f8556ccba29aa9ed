-- Rows for schema.sql, the same on every run: short lists as they are, long ones counted out by a recursive query with
-- multipliers prime to the lengths of the lists, so that values look mixed. Mail goes to example.com, phone numbers are
-- from the range kept for fiction, and no real social security number begins with a 9.

INSERT INTO office (id, city, country, street_address, "floor area") VALUES
  (1, 'Lisbon', 'Portugal', 'Rua das Flores 12', 1840.0),
  (2, 'Utrecht', 'Netherlands', 'Oudegracht 201', 960.5),
  (3, 'Leeds', 'United Kingdom', '7 Park Row', 1215.0),
  (4, 'Denver', 'United States', '1600 Larimer St', 2300.0),
  (5, 'Osaka', 'Japan', '2-4 Umeda', 640.0);

INSERT INTO department (id, name, office_id, budget) VALUES
  (1, 'Engineering', 1, 2400000),
  (2, 'Research', 2, 1350000),
  (3, 'Sales', 4, 1100000),
  (4, 'Support', 3, 620000),
  (5, 'Finance', 1, 540000),
  (6, 'People', 3, 380000),
  (7, 'Logistics', 5, 710000),
  (8, 'Legal', 4, 450000);

INSERT INTO employee (id, name, job_title, department_id, manager_id, salary, hire_date, birth_date, email, phone, ssn)
WITH RECURSIVE
  number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 80),
  given (k, word) AS (VALUES
    (0, 'Ada'), (1, 'Bruno'), (2, 'Chiara'), (3, 'Dmitri'), (4, 'Elif'), (5, 'Farid'), (6, 'Greta'), (7, 'Hiro'),
    (8, 'Ines'), (9, 'Jonas'), (10, 'Kezia'), (11, 'Lars'), (12, 'Mina'), (13, 'Nadia'), (14, 'Oskar'), (15, 'Priya')),
  family (k, word) AS (VALUES
    (0, 'Almeida'), (1, 'Brandt'), (2, 'Castell'), (3, 'Dubois'), (4, 'Eriksen'), (5, 'Fontana'), (6, 'Greene'),
    (7, 'Haddad'), (8, 'Ito'), (9, 'Jansen'), (10, 'Kowalski'), (11, 'Lindqvist'), (12, 'Moreau')),
  title (k, word, pay) AS (VALUES
    (0, 'Analyst', 46000), (1, 'Engineer', 61000), (2, 'Senior Engineer', 78000), (3, 'Clerk', 34000),
    (4, 'Consultant', 57000), (5, 'Specialist', 51000), (6, 'Coordinator', 42000))
SELECT
  i,
  given.word || ' ' || family.word,
  CASE WHEN i <= 8 THEN 'Head of Department' ELSE title.word END,
  (i - 1) % 8 + 1,
  CASE WHEN i = 1 THEN NULL WHEN i <= 8 THEN 1 ELSE (i - 1) % 8 + 1 END,
  CASE WHEN i <= 8 THEN 98000 + i * 1500 ELSE title.pay + i * 37 % 11 * 900 END,
  date('2009-03-01', '+' || (i * 67 % 5400) || ' days'),
  date('1961-06-15', '+' || (i * 211 % 14000) || ' days'),
  lower(given.word) || '.' || lower(family.word) || i || '@example.com',
  CASE WHEN i % 9 = 0 THEN NULL ELSE printf('555-01%02d', i) END,
  printf('900-%02d-%04d', i, i * 7919 % 10000)
FROM number
JOIN given ON given.k = i * 5 % 16
JOIN family ON family.k = i * 3 % 13
JOIN title ON title.k = i * 2 % 7;

INSERT INTO badge (number, employee_id, access_level, issued, lost)
SELECT printf('B-%04d', id * 137 % 10000), id, id * 5 % 4 + 1, date(hire_date, '+3 days'), id % 17 = 0 FROM employee;

INSERT INTO payment (employee_id, month, gross, tax, account)
WITH paid (month) AS (VALUES ('2025-01'), ('2025-02'), ('2025-03'))
SELECT id, month, salary / 12, salary / 12 * (18 + id % 9) / 100, printf('XX00 DEMO %04d', id * 389 % 10000)
FROM employee JOIN paid
ORDER BY month, id;

INSERT INTO project (id, name, department_id, cost, start_date, "end date") VALUES
  (1, 'Atlas', 1, 310000, '2023-02-01', '2024-06-30'),
  (2, 'Beacon', 1, 185000, '2024-01-15', NULL),
  (3, 'Cinder', 2, 240000, '2022-09-01', '2023-12-15'),
  (4, 'Drift', 2, 98000, '2024-05-20', NULL),
  (5, 'Ember', 3, 76000, '2023-11-01', '2024-03-31'),
  (6, 'Fathom', 3, 129000, '2024-08-12', NULL),
  (7, 'Grove', 4, 54000, '2023-04-03', '2023-10-27'),
  (8, 'Harbor', 7, 162000, '2022-01-10', '2024-12-20'),
  (9, 'Iris', 5, 47000, '2024-02-05', NULL),
  (10, 'Juniper', 6, 38000, '2024-10-01', NULL),
  (11, 'Kestrel', 7, 205000, '2024-03-18', NULL),
  (12, 'Lantern', 8, 61000, '2023-07-24', '2024-01-31');

INSERT INTO assignment (employee_id, project_id, task, hours)
WITH RECURSIVE
  number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 120),
  task (k, word) AS (VALUES (0, 'design'), (1, 'build'), (2, 'test'), (3, 'review'), (4, 'lead'))
SELECT i * 7 % 80 + 1, (i * 5 + i / 80) % 12 + 1, task.word, 20 + i * 13 % 140
FROM number JOIN task ON task.k = i * 3 % 5;

INSERT INTO purchase_order (office_id, ordered_by, item, quantity, unit_price, ordered_on)
WITH RECURSIVE
  number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 60),
  item (k, word, price) AS (VALUES
    (0, 'desk', 289.0), (1, 'chair', 174.5), (2, 'monitor', 219.9), (3, 'laptop', 1140.0), (4, 'headset', 59.9),
    (5, 'paper', 4.75), (6, 'coffee', 11.2))
SELECT i * 3 % 5 + 1, i * 11 % 80 + 1, item.word, i * 17 % 23 + 1, item.price,
       date('2024-01-04', '+' || (i * 29 % 360) || ' days')
FROM number JOIN item ON item.k = i * 4 % 7;

INSERT INTO sick_note (employee_id, first_day, days, diagnosis)
WITH RECURSIVE
  number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 40),
  cause (k, word) AS (VALUES (0, 'influenza'), (1, 'back pain'), (2, 'migraine'), (3, NULL), (4, 'sprained ankle'))
SELECT i * 23 % 80 + 1, date('2024-02-01', '+' || (i * 41 % 300) || ' days'), i * 7 % 11 + 1, cause.word
FROM number JOIN cause ON cause.k = i * 2 % 5;
