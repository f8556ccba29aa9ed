// A small grammar whose random sentences mostly resolve, for tests that compare the checker with the database. Its slots are
// meant for phrases: <table> and <index> take whole FROM items, <type> an aggregate's or function's name, <collation> a
// window function's.
#pragma once

#include <initializer_list>
#include <random>
#include <string>
#include <string_view>

namespace pccsql {

inline constexpr std::string_view kSmallGrammar = R"(
statement = query ;
query = with? select compound? order_by? ;
with = 'WITH' <new_name> 'AS' '(' query ')' ;
compound = ('UNION' | 'EXCEPT' | 'INTERSECT' | 'UNION' 'ALL') select ;
select = 'SELECT' 'DISTINCT'? select_item (',' select_item)? 'FROM' <table> more? where? group_by? having? ;
more = ',' '(' query ')' 'AS' <new_name> | join <index> condition? ;
join = 'JOIN' | 'LEFT' 'JOIN' | 'NATURAL' 'JOIN' | 'RIGHT' 'JOIN' | 'FULL' 'JOIN' | ',' ;
condition = 'ON' expr | 'USING' '(' <column> ')' ;
select_item = expr ('AS' <alias>)? | '*' | <type> '(' '*' ')' ;
where = 'WHERE' expr ;
group_by = 'GROUP' 'BY' expr (',' expr)? ;
having = 'HAVING' expr ;
order_by = 'ORDER' 'BY' expr ;
expr = operand (('+' | '=' | 'AND' | '<') operand)? ;
operand = <name> | :integer | call | '(' query ')' | nested | window ;
nested = 'EXISTS' '(' query ')' | '(' expr ')' | 'CASE' 'WHEN' expr 'THEN' expr 'END' | '(' expr ',' expr ')'
       | <name> 'IN' '(' (query | expr (',' expr)?) ')' ;
call = <type> '(' expr ')' filter? ;
filter = 'FILTER' '(' 'WHERE' expr ')' ;
window = <collation> '(' expr ')' 'OVER' '(' ('PARTITION' 'BY' expr)? ('ORDER' 'BY' expr)? ')' ;
)";

inline std::string pick(std::mt19937_64& random, std::initializer_list<const char*> choices) {
  return *(choices.begin() + random() % choices.size());
}

}  // namespace pccsql
