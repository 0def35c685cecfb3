import { describe, expect, it } from "vitest";
import { definitionsWithout } from "./mysql-definitions.ts";

const FIRST = String.raw`/*M!999999\- enable the sandbox mode */ 

/*!40101 SET NAMES utf8mb4 */;
`;

/** As mariadb-dump writes it, and mysqldump. */
const STATEMENTS: readonly (readonly [object: string, text: string])[] = [
  ["VIEW names", "/*!50001 CREATE VIEW `names` AS SELECT\n NULL AS `we;\nird` */;\n"],
  ["VIEW names", "/*!50001 DROP VIEW IF EXISTS `names`*/;\n"],
  [
    "VIEW names",
    "/*!50001 CREATE ALGORITHM=UNDEFINED */\n/*!50013 DEFINER=`admin`@`%` SQL SECURITY DEFINER */\n/*!50001 VIEW `names` AS select 1 AS `we;\nird` */;\n",
  ],
  ["VIEW old", "/*!50001 CREATE TABLE `old` (\n  `a` tinyint NOT NULL\n) ENGINE=MyISAM */;\n"],
  ["VIEW old", "/*!50001 DROP TABLE IF EXISTS `old`*/;\n"],
];
const BETWEEN_DELIMITERS: readonly (readonly [object: string, text: string])[] = [
  [
    "TRIGGER odd ` name",
    "/*!50003 CREATE*/ /*!50017 DEFINER=`a b`@`%`*/ /*!50003 TRIGGER `odd `` name`\n AFTER INSERT ON users FOR EACH ROW BEGIN\nDELETE FROM t;\nEND \n*/;;\n",
  ],
  [
    "TRIGGER shout",
    "/*!50003 CREATE*/ /*!50017 DEFINER=`a`@`%`*/ /*!50003 TRIGGER /* it's */ IF NOT EXISTS `app-1`.shout BEFORE INSERT ON users FOR EACH ROW SET @a = 1 */;;\n",
  ],
  [
    "EVENT later",
    "/*!50106 CREATE*/ /*!50117 DEFINER=`a`@`%`*/ /*!50106 EVENT `later` DO 1 \n*/ ;;\n",
  ],
  [
    "FUNCTION agg",
    "CREATE DEFINER=`a`@`%` AGGREGATE FUNCTION `agg`(x INT) RETURNS int(11)\nRETURN 1;\n;;\n",
  ],
  ["PROCEDURE Ansi p", 'CREATE DEFINER="a"@"%" PROCEDURE "Ansi p"()\nDROP VIEW names\n;;\n'],
  ["PACKAGE pk", 'CREATE DEFINER="a"@"%" PACKAGE "pk" AS PROCEDURE p1; END\n;;\n'],
  [
    "PACKAGE BODY pk",
    'CREATE DEFINER="a"@"%" PACKAGE BODY "pk" AS PROCEDURE p1 AS BEGIN NULL; END; END\n;;\n',
  ],
];

function dump(without?: string): string {
  const left = ([object]: readonly [string, string]): boolean => object !== without;
  const textOf = ([, text]: readonly [string, string]): string => text;
  const blocks = BETWEEN_DELIMITERS.map(
    (each) =>
      `/*!50003 SET sql_mode = '' */ ;\nDELIMITER ;;\n${left(each) ? textOf(each) : ""}DELIMITER ;\n`,
  );
  return [FIRST, ...STATEMENTS.filter(left).map(textOf), ...blocks, "\n"].join("");
}

describe("definitions of a dump of MariaDB", () => {
  it("are all there when nothing is left out", () => {
    expect(definitionsWithout(dump(), [])).toBe(dump());
    expect(definitionsWithout(dump(), ["VIEW other", "TRIGGER SHOUT", "EVENT names"])).toBe(dump());
  });

  it.each([...new Set([...STATEMENTS, ...BETWEEN_DELIMITERS].map(([object]) => object))])(
    "can be had without %s",
    (object) => {
      expect(definitionsWithout(dump(), [object])).toBe(dump(object));
    },
  );

  it("know routines and events whatever the case", () => {
    expect(definitionsWithout(dump(), ["PROCEDURE aNSI P"])).toBe(dump("PROCEDURE Ansi p"));
    expect(definitionsWithout(dump(), ["EVENT LATER"])).toBe(dump("EVENT later"));
  });
});
