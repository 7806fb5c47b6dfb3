/** A message says how to mend a value. Source: contract 0, "Errors". */

import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { Id, Timestamp } from '../../../../src/platform/http/schema.ts'
import { validator } from '../../../../src/platform/http/validation/validation.ts'
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
    message: "Expected string to match '^[A-Z_]+$', such as SHOP_TOKEN.",
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
