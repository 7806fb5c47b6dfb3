import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { nullable, oneOf } from '../../../src/platform/http/schema.ts'
import { inspector, validator } from '../../../src/platform/http/validation/validation.ts'

const Pet = Type.Union([
  Type.Object({ kind: Type.Literal('cat'), lives: Type.Integer({ maximum: 9 }) }),
  Type.Object({ kind: Type.Literal('dog'), name: Type.String(), owner: Type.Optional(nullable(Type.String())) }),
])
const Place = Type.Union([
  Type.Object({ at: Type.String(), town: Type.String() }),
  Type.Object({ at: Type.String(), remote: Type.Literal(true) }),
])
const Body = Type.Object({
  pets: Type.Optional(Type.Array(Pet)),
  place: Type.Optional(Place),
  budget: Type.Optional(Type.Union([Type.Integer(), oneOf(['low'])], { fault: 'Must be an integer or low.' })),
  outcome: Type.Optional(
    Type.Union([oneOf(['done', 'failed']), Type.Object({ status: Type.Literal('done'), output: Type.Unknown() })]),
  ),
  when: Type.Optional(Type.Union([Type.String({ minLength: 1 }), Type.Object({ and: Type.Array(Type.String()) })])),
  content: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
  text: Type.Optional(nullable(Type.String({ maxLength: 2 }))),
  input: Type.Optional(Type.Union([Type.String({ maxLength: 2 }), Type.Array(Pet, { minItems: 1 }), Type.Null()])),
})
const inspect = inspector(Body, '/body', 50)

describe('a value that matches none of several shapes is reported by the intended shape', () => {
  test.each<[string, object, [string, RegExp][]]>([
    ['the one named by its discriminator', { pets: [{ kind: 'cat', lives: 10 }] }, [['/body/pets/0/lives', /9/]]],
    ['with a missing field', { pets: [{ kind: 'dog' }] }, [['/body/pets/0/name', /^Is required\.$/]]],
    [
      'with an additional field',
      { pets: [{ kind: 'dog', name: 'a', lives: 1 }] },
      [['/body/pets/0/lives', /no such field/]],
    ],
    [
      'with a nested union',
      { pets: [{ kind: 'dog', name: 'a', owner: 1 }] },
      [['/body/pets/0/owner', /^Must be a text\.$/]],
    ],
    [
      'with an unknown discriminator',
      { pets: [{ kind: 'cow' }] },
      [['/body/pets/0/kind', /^Must be one of: cat, dog\.$/]],
    ],
    ['without the discriminator', { pets: [{}] }, [['/body/pets/0/kind', /^Must be one of: cat, dog\.$/]]],
    ['without any discriminator, the closest', { place: { at: 'a' } }, [['/body/place/town', /^Is required\.$/]]],
    [
      'without any discriminator, the closest again',
      { place: { at: 'a', remote: false } },
      [['/body/place/remote', /true/]],
    ],
    ['with both at once', { place: { at: 'a', town: 'b', remote: true } }, [['/body/place/town', /no such field/]]],
    ['a value or null', { text: 'long' }, [['/body/text', /^Must have at most 2 characters\.$/]]],
    [
      'a value that is not an object where objects are expected',
      { pets: [5] },
      [['/body/pets/0', /^Must be an object\.$/]],
    ],
    [
      'a word that none of the shapes has',
      { outcome: 'lost' },
      [['/body/outcome', /^Must be one of: done, failed, or an object with status and output\.$/]],
    ],
    ['an object among words, by its shape', { outcome: { status: 'done' } }, [['/body/outcome/output', /required/]]],
    [
      'a number where a text or a list is expected',
      { content: 5 },
      [['/body/content', /^Must be a text, or a list\.$/]],
    ],
    ['a list among texts, by its items', { content: ['a', 1] }, [['/body/content/1', /^Must be a text\.$/]]],
    ['a text among other types, by its rules', { when: '' }, [['/body/when', /^Must have at least 1 character\.$/]]],
    ['null where it is not among them', { content: null }, [['/body/content', /^Must be a text, or a list\.$/]]],
    [
      'a text that is too long, or else a list',
      { input: 'long' },
      [['/body/input', /^Must have at most 2 characters\.$/]],
    ],
    ['a list that is too short, or else a text', { input: [] }, [['/body/input', /^Must have at least 1 item\.$/]]],
    [
      'an item of a list, or else a text',
      { input: [{ kind: 'cow' }] },
      [['/body/input/0/kind', /^Must be one of: cat, dog\.$/]],
    ],
    ['a value of another type than any', { input: 5 }, [['/body/input', /^Must be a text, or a list, or null\.$/]]],
    ['with a custom message', { budget: 'high' }, [['/body/budget', /^Must be an integer or low\.$/]]],
  ])('%s', (_, body, expected) => {
    const issues = inspect(body)
    expect(issues.map(({ path }) => path)).toEqual(expected.map(([path]) => path))
    for (const [index, [, message]] of expected.entries()) expect(issues[index]?.message).toMatch(message)
    expect(() => validator(Body, '/body')(body)).toThrow('not valid')
  })

  test('nothing for a value that matches', () => {
    expect(
      inspect({ pets: [{ kind: 'cat', lives: 9 }], place: { at: 'a', remote: true }, text: null, budget: 1 }),
    ).toEqual([])
  })
})
