/** A message says how to mend a value. Source: contract 0, "Errors". */

import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { unknownPermission } from '../../../../src/platform/http/guard/permissions.ts'
import { Id, Timestamp } from '../../../../src/platform/http/schema.ts'
import { inspector, validator } from '../../../../src/platform/http/validation/validation.ts'
import { SecretText } from '../../../../src/platform/secrets/secret-text.ts'
import { StartBody } from '../../../../src/runs/admission/request-schema.ts'
import { MemberBody } from '../../../../src/tenancy/members/schema.ts'

const rows = [
  {
    what: 'an id of another kind',
    schema: Id('rel'),
    value: 'prj_01h455vb4pex5vsknk084sn02q',
    message: 'Must be an id such as rel_01h455vb4pex5vsknk084sn02q.',
  },
  {
    what: 'a day that does not exist',
    schema: Timestamp(),
    value: '2026-13-45T99:00:00Z',
    message: 'Must be an instant as in RFC 3339, such as 2026-01-31T12:00:00.000Z.',
  },
  {
    what: 'an address without a host',
    schema: MemberBody.properties.email,
    value: 'ada',
    message: 'Must be an email address, such as ada@example.com.',
  },
  {
    what: 'text of another form',
    schema: Type.String({ pattern: '^[A-Z_]+$', examples: ['SHOP_TOKEN'] }),
    value: 'shop token',
    message: 'Must match ^[A-Z_]+$, such as SHOP_TOKEN.',
  },
  { what: 'a number in place of a text', schema: Type.String(), value: 5, message: 'Must be a text.' },
  { what: 'a text in place of a number', schema: Type.Number(), value: '5', message: 'Must be a number.' },
  { what: 'a fraction', schema: Type.Integer(), value: 1.5, message: 'Must be an integer.' },
  { what: 'a text in place of a switch', schema: Type.Boolean(), value: 'yes', message: 'Must be true or false.' },
  { what: 'another value than the only one', schema: Type.Literal(1), value: 2, message: 'Must be 1.' },
  { what: 'a switch that can only be on', schema: Type.Literal(true), value: false, message: 'Must be true.' },
  { what: 'a text in place of a list', schema: Type.Array(Type.String()), value: 'a', message: 'Must be a list.' },
  { what: 'a list in place of an object', schema: Type.Object({}), value: [], message: 'Must be an object.' },
  {
    what: 'a number that is too small',
    schema: Type.Integer({ minimum: 1 }),
    value: 0,
    message: 'Must be at least 1.',
  },
  { what: 'a number that is too large', schema: Type.Number({ maximum: 2 }), value: 3, message: 'Must be at most 2.' },
  {
    what: 'a text that is too short',
    schema: Type.String({ minLength: 1 }),
    value: '',
    message: 'Must have at least 1 character.',
  },
  {
    what: 'a text that is too long',
    schema: Type.String({ maxLength: 2 }),
    value: 'abc',
    message: 'Must have at most 2 characters.',
  },
  {
    what: 'a list that is too long',
    schema: Type.Array(Type.Null(), { maxItems: 1 }),
    value: [null, null],
    message: 'Must have at most 1 item.',
  },
  {
    what: 'a number in place of a secret',
    schema: SecretText(0, 'A value.'),
    value: 5,
    message: 'Must be text of 0 to 65536 characters.',
  },
  {
    what: 'neither a number nor a level',
    schema: StartBody.properties.reasoningBudget,
    value: 'lots',
    message: 'Must be 0 to 100,000 tokens, or one of: low, medium, high.',
  },
]

test.each(rows)('$what', ({ schema, value, message }) => {
  const validate = validator(Type.Object({ field: schema }), '/body')
  try {
    validate({ field: value })
    expect.unreachable()
  } catch (error) {
    expect(error).toMatchObject({ details: { issues: [{ path: '/body/field', message }] } })
  }
})

test.each([
  { what: 'names those that there are', schema: Type.Object({ query: Type.String(), ifBusy: Type.String() }) },
  { what: 'says that there are none', schema: Type.Object({}) },
])('a field that is unknown $what', ({ schema }) => {
  const names = Object.keys(schema.properties)
  const known = names.length === 0 ? 'There is none here.' : 'Did you mean ifBusy? There are: query, ifBusy.'
  const [issue] = inspector(schema, '/body', 5)({ query: 'x', ifBusy: 'x', ifbusy: 'x' }).slice(-1)
  expect(issue?.message).toBe(`There is no such field. ${known}`)
})

test.each([
  ['agent-runs:start', /^There is no such permission\. There are: .*agent-runs:create, .*agent-runs:\*\.$/],
  ['runs:create', /^There is no such permission\. There are: agents:\*, .*agent-runs:\*, .*, and \* for all\.$/],
])('a permission that is unknown (%s) is answered with those that there are', (name, message) => {
  expect(unknownPermission(name)).toMatch(message)
})
