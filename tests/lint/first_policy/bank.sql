-- A German bank, in the words German databases use. All people and numbers are made up.
CREATE TABLE filiale (filial_nr INTEGER PRIMARY KEY, bezeichnung TEXT, ort TEXT, bundesland TEXT, mitarbeiterzahl INTEGER);
CREATE TABLE kontoart (kuerzel TEXT PRIMARY KEY, bezeichnung TEXT, zinssatz REAL);
CREATE TABLE kunde (
  kundennummer INTEGER PRIMARY KEY, anrede TEXT, vorname TEXT, nachname TEXT, geburtsdatum TEXT, geburtsort TEXT,
  geschlecht TEXT, staatsangehoerigkeit TEXT, familienstand TEXT, konfession TEXT, steuerid TEXT, ausweisnr TEXT,
  strasse TEXT, hausnr TEXT, plz TEXT, wohnort TEXT, telefon TEXT, handynummer TEXT, mailadresse TEXT,
  jahreseinkommen INTEGER, schufa_score REAL, filial_nr INTEGER REFERENCES filiale (filial_nr));
CREATE TABLE konto (
  konto_id INTEGER PRIMARY KEY, kundennummer INTEGER REFERENCES kunde (kundennummer), kontonummer TEXT, iban TEXT,
  kontoart TEXT REFERENCES kontoart (kuerzel), saldo REAL, waehrung TEXT, eroeffnet TEXT);
CREATE TABLE buchung (
  buchungs_id INTEGER PRIMARY KEY, konto_id INTEGER REFERENCES konto (konto_id), betrag REAL, buchungstag TEXT,
  verwendungszweck TEXT, gegenkonto TEXT);
CREATE TABLE mitarbeiter (
  personalnummer INTEGER PRIMARY KEY, name TEXT, gehalt INTEGER, krankheitstage INTEGER, "Schwerbehinderung" INTEGER,
  eintrittsdatum TEXT, abteilung TEXT, filial_nr INTEGER REFERENCES filiale (filial_nr));

INSERT INTO filiale VALUES (1,'Hauptstelle','Köln','Nordrhein-Westfalen',42),(2,'Südstadt','Köln','Nordrhein-Westfalen',11),(3,'Altstadt','Mainz','Rheinland-Pfalz',9);
INSERT INTO kontoart VALUES ('G','Girokonto',0.0),('S','Sparkonto',1.25),('T','Tagesgeld',2.1);
INSERT INTO kunde VALUES
 (1001,'Frau','Anna','Beck','1961-04-17','Bonn','w','deutsch','verheiratet','rk','86095742719','L01X00T47','Ahornweg','12','50667','Köln','0221 5551201','0151 55512010','anna.beck@example.de',48200,97.1,1),
 (1002,'Herr','Bernd','Kraus','1975-09-02','Trier','m','deutsch','ledig','ev','47036892816','L01X00T48','Lindenstraße','3a','50678','Köln','0221 5551202','0151 55512020','b.kraus@example.de',61900,88.4,2),
 (1003,'Frau','Clara','Demir','1990-12-30','Izmir','w','türkisch','verheiratet','islam','65929970489','L01X00T49','Rheinallee','77','55116','Mainz','06131 555303','0160 55530300','clara@example.com',39500,92.9,3),
 (1004,'Herr','Dirk','Ernst','1983-02-14','Mainz','m','deutsch','geschieden','ohne','57549285017','L01X00T50','Gaustraße','9','55116','Mainz','06131 555304','0170 55530400','dirk.ernst@example.com',73000,71.3,3);
INSERT INTO konto VALUES (1,1001,'532013000','DE89370400440532013000','G',2310.55,'EUR','2001-05-02'),(2,1002,'500105173','DE75512108001245126199','G',-120.4,'EUR','2010-03-18'),(3,1003,'1234567','DE12500105170648489890','S',9800.0,'EUR','2015-11-11');
INSERT INTO buchung VALUES (1,1,-45.9,'2024-02-01','Apotheke am Markt, Rezept vom 30. Januar für A. Beck','DE75512108001245126199'),(2,1,2900.0,'2024-02-01','Gehalt Januar','DE12500105170648489890'),(3,3,-20.0,'2024-02-03','Spende Moscheeverein, Mitgliedsbeitrag für Clara Demir','DE89370400440532013000');
INSERT INTO mitarbeiter VALUES (1,'Eva Fuchs',51200,4,0,'2009-04-01','Beratung',1),(2,'Georg Hahn',38700,19,1,'2018-10-01','Schalter',1),(3,'Ida Jung',64100,2,0,'2003-01-01','Leitung',3);
