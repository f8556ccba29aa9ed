-- An Internet service whose columns are called anything: camel case, abbreviations, and harmless names over values that
-- are not. All people and numbers are made up.
CREATE TABLE AppUser (
  userId INTEGER PRIMARY KEY, login TEXT, pwdHash TEXT, emailAddr TEXT, displayName TEXT, homeAddress TEXT, taxFileNumber TEXT,
  passportNo TEXT, driverLicence TEXT, lastLoginIp TEXT, deviceId TEXT, geoLat REAL, geoLng REAL, avatarUrl TEXT,
  credit_score INTEGER, national_insurance_no TEXT, politicalViews TEXT, "salary" INTEGER, signupDate TEXT, plan TEXT);
CREATE TABLE Payment (
  payment_id INTEGER PRIMARY KEY, userId INTEGER REFERENCES AppUser (userId), account TEXT, iban TEXT, card_fingerprint TEXT,
  cardLast4 TEXT, amt REAL, curr TEXT, paid_at TEXT);
CREATE TABLE SupportTicket (
  ticket_no INTEGER PRIMARY KEY, userId INTEGER REFERENCES AppUser (userId), status TEXT, subject TEXT, notes TEXT, priority INTEGER);
CREATE TABLE Entry (entry_id INTEGER PRIMARY KEY, category TEXT, title TEXT, status TEXT, code TEXT, location TEXT, label TEXT, type TEXT);
CREATE TABLE Plan (plan TEXT PRIMARY KEY, monthlyPrice REAL, storageGb INTEGER, description TEXT);
CREATE TABLE ServerRegion (regionCode TEXT PRIMARY KEY, regionName TEXT, country TEXT, serverCount INTEGER);

INSERT INTO AppUser VALUES
 (1,'ada77','$2b$12$abcdefghijklmnopqrstuv','ada@example.org','Ada Moore','12 Mill Lane','123456782','P1234567','MOORE753116A9','203.0.113.7','a1f3-77','53.9','-1.69','https://img.example.org/1.jpg',712,'AB123456C','green',51000,'2020-02-02','pro'),
 (2,'benny','$2b$12$bcdefghijklmnopqrstuvw','ben@example.org','Ben Hart','3 Station Road','123456790','P7654321','HART9703116B1','203.0.113.9','b2f4-78','53.8','-1.55','https://img.example.org/2.jpg',655,'CE654321D','liberal',38000,'2021-07-19','free'),
 (3,'cs89','$2b$12$cdefghijklmnopqrstuvwx','cara@example.net','Cara Singh','77 Park Street','123456804','P2468135','SINGH807309C2','198.51.100.4','c3f5-79','53.7','-1.81','https://img.example.org/3.jpg',790,'JG103759A','none',64000,'2022-11-30','pro');
INSERT INTO Payment VALUES (1,1,'20-00-00 55779911','GB29NWBK60161331926819','fp_77a1','1111',9.99,'GBP','2024-01-01'),(2,3,'60-16-13 31926819','GB82WEST12345698765432','fp_19b2','5559',9.99,'GBP','2024-01-03');
INSERT INTO SupportTicket VALUES (1,2,'open','Cannot log in','My son changed the password and now the hospital letters are gone, please call me at work.',2),(2,1,'closed','Refund','I was charged twice after the divorce, the card belongs to my former husband.',1);
INSERT INTO Entry VALUES
 (1,'07700 900101','ada.moore@example.org','Told us that she lost her job in May and cannot pay before the benefit comes through.','4111111111111111','12 Mill Lane, Otley LS21 1AA','GB29NWBK60161331926819','943 476 5919'),
 (2,'07700 900102','ben.hart@example.org','Husband has moved out, ring after six only and never leave a message with the children.','5500005555555559','3 Station Road, Otley LS21 3HX','GB82WEST12345698765432','943 476 5870'),
 (3,'07700 900103','cara.singh@example.net','Asked for a copy of everything for her solicitor, is very upset about the last letter.','4012888888881881','77 Park Street, Ilkley LS29 9DY','DE89370400440532013000','401 023 2137'),
 (4,'07700 900104','d.okoro@example.net','Says that the doctor has written him off sick until the end of the quarter at least.','378282246310005','5 High Street, Leeds LS1 4AP','FR1420041010050500013M02606','943 476 5838');
INSERT INTO Plan VALUES ('free',0.0,5,'For trying it out'),('pro',9.99,200,'For daily work'),('team',24.99,1000,'For several people');
INSERT INTO ServerRegion VALUES ('eu-w','Western Europe','Ireland',120),('us-e','Eastern United States','United States',340);
