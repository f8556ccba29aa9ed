-- A Spanish shop. All people and numbers are made up.
CREATE TABLE categoria (id INTEGER PRIMARY KEY, nombre TEXT, descripcion TEXT);
CREATE TABLE producto (id INTEGER PRIMARY KEY, nombre TEXT, marca TEXT, color TEXT, precio REAL, existencias INTEGER, categoria_id INTEGER REFERENCES categoria (id));
CREATE TABLE cliente (
  id INTEGER PRIMARY KEY, nombre TEXT, apellidos TEXT, correo TEXT, dni TEXT, fecha_nacimiento TEXT, "género" TEXT,
  direccion TEXT, codigo_postal TEXT, ciudad TEXT, movil TEXT, estado_civil TEXT, clave TEXT);
CREATE TABLE pedido (id INTEGER PRIMARY KEY, cliente_id INTEGER REFERENCES cliente (id), fecha TEXT, estado TEXT, total REAL, observaciones TEXT);
CREATE TABLE linea_pedido (pedido_id INTEGER REFERENCES pedido (id), producto_id INTEGER REFERENCES producto (id), cantidad INTEGER, PRIMARY KEY (pedido_id, producto_id));
CREATE TABLE pago (id INTEGER PRIMARY KEY, pedido_id INTEGER REFERENCES pedido (id), cliente_id INTEGER REFERENCES cliente (id), numero_tarjeta TEXT, titular TEXT, caducidad TEXT, importe REAL);
CREATE TABLE empleado (id INTEGER PRIMARY KEY, nombre_completo TEXT, puesto TEXT, sueldo INTEGER, cuenta_bancaria TEXT, num_seguridad_social TEXT, minusvalia INTEGER);

INSERT INTO categoria VALUES (1,'Libros','Novela, ensayo y poesía'),(2,'Música','Discos y partituras'),(3,'Juegos','Juegos de mesa');
INSERT INTO producto VALUES (1,'La colmena','Destino','rojo',12.5,14,1),(2,'Atlas del cielo','Omega','azul',39.9,3,1),(3,'Ajedrez de viaje','Cayro','negro',18.0,22,3);
INSERT INTO cliente VALUES
 (1,'Alba','Ruiz Gil','alba.ruiz@example.es','12345678Z','1985-06-07','mujer','Calle Mayor 4, 2º B','28013','Madrid','612 555 101','casada','9f86d081884c7d65'),
 (2,'Bruno','Sanz Rey','bsanz@example.es','87654321X','1972-01-23','hombre','Avenida del Puerto 19','46021','Valencia','613 555 102','soltero','60303ae22b998861'),
 (3,'Celia','Vega Mas','celia.vega@example.com','X1234567L','1999-09-15','mujer','Plaza Nueva 1','41001','Sevilla','614 555 103','soltera','fd61a03af4f77d87');
INSERT INTO pedido VALUES (1,1,'2024-01-08','entregado',52.4,'Dejar en casa de la vecina del tercero, la señora está ingresada en el hospital.'),(2,2,'2024-01-09','enviado',18.0,'Es un regalo para mi hija pequeña, no llamar antes de las ocho de la tarde.');
INSERT INTO linea_pedido VALUES (1,1,1),(1,2,1),(2,3,1);
INSERT INTO pago VALUES (1,1,1,'4111111111111111','ALBA RUIZ GIL','2027-05',52.4),(2,2,2,'5500005555555559','BRUNO SANZ','2026-11',18.0);
INSERT INTO empleado VALUES (1,'Diego Mora','dependiente',19800,'ES9121000418450200051332','281234567840',0),(2,'Elena Soto','encargada',27400,'ES7921000813610123456789','281234567841',1);
