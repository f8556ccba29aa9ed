-- A clinic's database in English, with the abbreviations such databases have. All people and numbers are made up.
CREATE TABLE ward (ward_id INTEGER PRIMARY KEY, name TEXT, floor INTEGER, beds INTEGER);
CREATE TABLE drug (drug_code TEXT PRIMARY KEY, trade_name TEXT, manufacturer TEXT, unit_cost REAL);
CREATE TABLE patient (
  pat_id INTEGER PRIMARY KEY, mrn TEXT UNIQUE, fname TEXT, lname TEXT, dob TEXT, sex TEXT, nhs_no TEXT, bld_grp TEXT,
  ethnicity TEXT, religion TEXT, marital_status TEXT, next_of_kin TEXT, kin_tel TEXT, smoker INTEGER, height_cm INTEGER,
  weight_kg REAL, home_addr TEXT, postcode TEXT, mob_no TEXT, eml TEXT);
CREATE TABLE doctor (doc_id INTEGER PRIMARY KEY, full_name TEXT, specialty TEXT, licence_no TEXT, pager TEXT, ward_id INTEGER REFERENCES ward (ward_id));
CREATE TABLE visit (
  visit_id INTEGER PRIMARY KEY, pat_id INTEGER REFERENCES patient (pat_id), doc_id INTEGER REFERENCES doctor (doc_id),
  admitted TEXT, discharged TEXT, diagnosis TEXT, icd10 TEXT, bp_systolic INTEGER, hiv_result TEXT, notes TEXT, cost REAL);
CREATE TABLE prescription (pat_id INTEGER REFERENCES patient (pat_id), drug_code TEXT REFERENCES drug (drug_code), dose TEXT, prescribed_on TEXT);

INSERT INTO ward VALUES (1,'Nightingale',1,24),(2,'Seacole',2,18),(3,'Barnard',3,12),(4,'Blackwell',1,20);
INSERT INTO drug VALUES ('D01','Paramol','Northfield Labs',1.2),('D02','Cardivan','Helix',8.5),('D03','Gluconix','Northfield Labs',4.1),('D04','Somnil','Aster',2.9);
INSERT INTO patient VALUES
 (1,'MR0001','Ada','Moore','1951-03-02','F','943 476 5919','A+','White British','Church of England','married','Tom Moore','01632 960101',0,164,61.5,'12 Mill Lane, Otley','LS21 1AA','07700 900101','ada.moore@example.org'),
 (2,'MR0002','Ben','Hart','1978-11-19','M','943 476 5870','O-','Black Caribbean','none','single','Eve Hart','01632 960102',1,181,92.0,'3 Station Road, Otley','LS21 3HX','07700 900102','ben.hart@example.org'),
 (3,'MR0003','Cara','Singh','1989-07-30','F','401 023 2137','B+','Indian','Sikh','married','Raj Singh','01632 960103',0,158,55.2,'77 Park Street, Ilkley','LS29 9DY','07700 900103','cara.singh@example.net'),
 (4,'MR0004','Dan','Okoro','1964-01-09','M','943 476 5838','AB+','Black African','Catholic','widowed','Ife Okoro','01632 960104',1,176,84.3,'5 High Street, Leeds','LS1 4AP','07700 900104','d.okoro@example.net'),
 (5,'MR0005','Eve','Long','2001-05-25','F','943 476 5846','A-','White British','none','single','Ann Long','01632 960105',0,170,63.0,'41 Hill Rise, Leeds','LS6 2QT','07700 900105','eve.long@example.org'),
 (6,'MR0006','Finn','Reid','1943-12-12','M','943 476 5854','O+','White Scottish','Presbyterian','divorced','Isla Reid','01632 960106',0,172,70.9,'8 Chapel Row, Otley','LS21 2BB','07700 900106','finn.reid@example.org');
INSERT INTO doctor VALUES (1,'Grace Hall','Cardiology','GMC7012345','bleep 214',1),(2,'Hugo Lane','Surgery','GMC7012346','bleep 318',3),(3,'Ines Park','Paediatrics','GMC7012347','bleep 127',2);
INSERT INTO visit VALUES
 (1,1,1,'2023-01-04','2023-01-09','angina','I20',148,'negative','Came in with chest pain after climbing the stairs; daughter says that she forgets her tablets.',2210.5),
 (2,2,2,'2023-02-11','2023-02-12','fracture of wrist','S62',131,'negative','Fell off a bicycle on the way home and was brought in by a neighbour, smells of alcohol.',870.0),
 (3,4,1,'2023-02-20','2023-03-01','heart failure','I50',162,'positive','Does not want his wife to know about the second test, asked twice whether letters go home.',5310.0),
 (4,6,2,'2023-03-05','2023-03-06','hernia','K40',139,'negative','Lives alone since the divorce and worries about who will feed the dog meanwhile.',1490.0);
INSERT INTO prescription VALUES (1,'D02','5 mg daily','2023-01-09'),(4,'D02','10 mg daily','2023-03-01'),(2,'D01','500 mg as needed','2023-02-12');
