'use strict';

/** The types of the Python client, from the OpenAPI document. */
const { exposed, withReferences } = require('./client-types.js');

const path = 'libs/client-python/src/inventory_client/wire.py';
const header = `"""Generated from docs/generated/openapi.json by scripts/generate.js: responses as they are on the wire.

Enums are open: a later version may add values, and fields.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
`;
const keywords = new Set(['from', 'global', 'import', 'in', 'is', 'class', 'pass', 'not', 'or']);
const simple = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' };

/** The file to write: path below the root, and content. */
function pythonTypes({ components: { schemas } }) {
  const names = [...withReferences(exposed, schemas)].toSorted();
  const known = new Map(names.map((name) => [formOf(schemas[name]), name]));
  const classes = [];
  const aliases = [];

  function typeOf(schema, name, isNamed = false) {
    if (schema.$ref) return schema.$ref.split('/').at(-1);
    if (schema.allOf?.length === 1) return typeOf(schema.allOf[0], name, isNamed);
    const same = schema.properties && !isNamed && known.get(formOf(schema));
    if (same) return same;
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return unionOf(choices.map((choice) => typeOf(choice, name)));
    if (Array.isArray(schema.type)) {
      return unionOf(schema.type.map((type) => typeOf({ ...schema, type }, name)));
    }
    if (typeof schema.const === 'string') return `Literal["${schema.const}"]`;
    if (typeof schema.const === 'number') return 'int';
    const values = schema.type === 'string' && (schema['x-extensible-enum'] ?? schema.enum);
    if (values) return `Literal[${values.map((value) => `"${value}"`).join(', ')}] | str`;
    if (schema.type === 'array') return `list[${typeOf(schema.items, `${name}Item`)}]`;
    if (schema.properties && Object.keys(schema.properties).length > 0) {
      known.set(formOf(schema), name);
      classes.push(classOf(schema, name));
      return name;
    }
    if (schema.type === 'object') return 'dict[str, Any]';
    return simple[schema.type ?? typeof schema.const] ?? 'Any';
  }

  function classOf({ properties, required = [], description }, name) {
    const fields = Object.entries(properties).map(([field, schema]) => {
      const type = typeOf(schema, name + pascal(field));
      return [field, required.includes(field) ? type : `NotRequired[${type}]`];
    });
    if (fields.some(([field]) => keywords.has(field))) {
      const members = fields.map(([field, type]) => `        "${field}": '${type}',\n`).join('');
      return `${name} = TypedDict(\n    "${name}",\n    {\n${members}    },\n)\n`;
    }
    const text = description ? `    """${description.replaceAll('`', '')}"""\n\n` : '';
    const members = fields.map(([field, type]) => `    ${field}: ${type}\n`).join('');
    return `class ${name}(TypedDict):\n${text}${members}`;
  }

  for (const name of names) {
    const type = typeOf(schemas[name], name, true);
    if (type !== name) aliases.push(`${name}: TypeAlias = ${type}\n`);
  }
  const content = [header, ...classes, aliases.join('')].join('\n\n');
  return { path, content };
}

/** Two schemas of one form are one type. */
function formOf({ description: _description, ...schema }) {
  return JSON.stringify(schema);
}

function unionOf(types) {
  return [...new Set(types)].join(' | ');
}

function pascal(name) {
  return name.replace(/(?:^|_)([a-z0-9])/g, (_all, letter) => letter.toUpperCase());
}

module.exports = { pythonTypes };
