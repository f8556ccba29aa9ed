-- A French firm's personnel and pay. All people and numbers are made up.
CREATE TABLE service (id_service INTEGER PRIMARY KEY, libelle TEXT, ville TEXT, budget INTEGER);
CREATE TABLE poste (code_poste TEXT PRIMARY KEY, intitule TEXT, categorie TEXT);
CREATE TABLE employe (
  matricule INTEGER PRIMARY KEY, nom TEXT, prenom TEXT, date_naissance TEXT, lieu_naissance TEXT, sexe TEXT, numero_secu TEXT,
  situation_familiale TEXT, nb_enfants INTEGER, adresse TEXT, code_postal TEXT, courriel TEXT, "téléphone" TEXT,
  salaire_annuel INTEGER, rib TEXT, syndicat TEXT, date_embauche TEXT, id_service INTEGER REFERENCES service (id_service),
  code_poste TEXT REFERENCES poste (code_poste));
CREATE TABLE bulletin (
  id INTEGER PRIMARY KEY, matricule INTEGER REFERENCES employe (matricule), mois TEXT, brut REAL, cotisations REAL, net REAL);
CREATE TABLE conge (id INTEGER PRIMARY KEY, matricule INTEGER REFERENCES employe (matricule), debut TEXT, fin TEXT, motif TEXT);
CREATE TABLE entretien (id INTEGER PRIMARY KEY, matricule INTEGER REFERENCES employe (matricule), annee INTEGER, note INTEGER, commentaire TEXT);

INSERT INTO service VALUES (1,'Comptabilité','Lyon',310000),(2,'Ventes','Paris',820000),(3,'Atelier','Lyon',540000);
INSERT INTO poste VALUES ('C1','Comptable','cadre'),('V1','Vendeur','employé'),('A1','Soudeur','ouvrier');
INSERT INTO employe VALUES
 (1,'Martin','Alice','1978-08-14','Lille','F','278085925612309','mariée',2,'14 rue des Lilas, Lyon','69003','alice.martin@example.fr','04 78 55 51 01',43000,'FR1420041010050500013M02606','aucun','2005-02-01',1,'C1'),
 (2,'Petit','Bruno','1965-03-03','Brest','M','165032901923490','divorcé',1,'2 place Carnot, Lyon','69002','bruno.petit@example.fr','04 78 55 51 02',31000,'FR7630006000011234567890189','CGT','1999-09-01',3,'A1'),
 (3,'Roux','Chloé','1993-10-21','Nice','F','293100608823454','célibataire',0,'8 quai de Seine, Paris','75019','chloe.roux@example.fr','01 45 55 51 03',35500,'FR7630006000011234567890189','aucun','2017-06-12',2,'V1');
INSERT INTO bulletin VALUES (1,1,'2024-01',3583.3,790.2,2793.1),(2,2,'2024-01',2583.3,560.1,2023.2),(3,3,'2024-01',2958.3,640.0,2318.3);
INSERT INTO conge VALUES (1,1,'2024-02-12','2024-02-16','enfant malade, certificat du médecin remis au service'),(2,2,'2024-03-04','2024-03-29','cure et rééducation après une opération du dos');
INSERT INTO entretien VALUES (1,1,2023,4,'Très bonne année malgré une situation familiale difficile au printemps dernier.'),(2,3,2023,5,'Souhaite évoluer vers un poste de direction, parle de partir sinon.');
