-- The demo: a small company's personnel database. Every person in it is made up.
-- The tables are ordered so that each refers only to those above it (employees to their managers aside).

CREATE TABLE office (
  id INTEGER PRIMARY KEY,
  city TEXT NOT NULL UNIQUE,
  country TEXT NOT NULL,
  street_address TEXT NOT NULL,
  "floor area" REAL NOT NULL CHECK ("floor area" > 0)
);

CREATE TABLE department (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  office_id INTEGER NOT NULL REFERENCES office (id),
  budget INTEGER NOT NULL
);

CREATE TABLE employee (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  job_title TEXT NOT NULL,
  department_id INTEGER NOT NULL REFERENCES department (id),
  manager_id INTEGER REFERENCES employee (id),
  salary INTEGER NOT NULL,
  hire_date TEXT NOT NULL,
  hire_year INTEGER GENERATED ALWAYS AS (CAST(substr(hire_date, 1, 4) AS INTEGER)) VIRTUAL,
  birth_date TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  phone TEXT,
  ssn TEXT NOT NULL UNIQUE
);

CREATE TABLE badge (
  number TEXT PRIMARY KEY,
  employee_id INTEGER NOT NULL REFERENCES employee (id),
  access_level INTEGER NOT NULL CHECK (access_level BETWEEN 1 AND 4),
  issued TEXT NOT NULL,
  lost INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TABLE payment (
  id INTEGER PRIMARY KEY,
  employee_id INTEGER NOT NULL REFERENCES employee (id),
  month TEXT NOT NULL,
  gross INTEGER NOT NULL,
  tax INTEGER NOT NULL,
  net INTEGER GENERATED ALWAYS AS (gross - tax) STORED,
  account TEXT NOT NULL,
  UNIQUE (employee_id, month)
);

CREATE TABLE project (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  department_id INTEGER NOT NULL REFERENCES department (id),
  cost INTEGER NOT NULL,
  start_date TEXT NOT NULL,
  "end date" TEXT
);

CREATE TABLE assignment (
  employee_id INTEGER NOT NULL REFERENCES employee (id),
  project_id INTEGER NOT NULL REFERENCES project (id),
  task TEXT NOT NULL,
  hours INTEGER NOT NULL,
  PRIMARY KEY (employee_id, project_id)
);

CREATE TABLE purchase_order (
  id INTEGER PRIMARY KEY,
  office_id INTEGER NOT NULL REFERENCES office (id),
  ordered_by INTEGER NOT NULL REFERENCES employee (id),
  item TEXT NOT NULL,
  quantity INTEGER NOT NULL,
  unit_price REAL NOT NULL,
  ordered_on TEXT NOT NULL
);

CREATE TABLE sick_note (
  id INTEGER PRIMARY KEY,
  employee_id INTEGER NOT NULL REFERENCES employee (id),
  first_day TEXT NOT NULL,
  days INTEGER NOT NULL,
  diagnosis TEXT
);

CREATE INDEX employee_by_department ON employee (department_id);
CREATE INDEX employee_by_manager ON employee (manager_id);
CREATE INDEX payment_by_month ON payment (month);
CREATE INDEX purchase_order_by_office ON purchase_order (office_id, ordered_on);

CREATE VIEW staff_directory AS
SELECT e.name AS name, e.job_title AS job_title, d.name AS department, o.city AS city
FROM employee AS e
JOIN department AS d ON e.department_id = d.id
JOIN office AS o ON d.office_id = o.id;

CREATE VIEW department_pay AS
SELECT d.name AS department, COUNT(*) AS headcount, AVG(e.salary) AS average_salary
FROM department AS d
JOIN employee AS e ON e.department_id = d.id
GROUP BY d.name;
