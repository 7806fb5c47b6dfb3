/** Sources of entities that are rejected, and their issues. Source: contract 6. */
import { afterAll, beforeAll, describe, test } from 'bun:test'
import { type Definitions, type Issue, many, noSuchField, openDefinitions, required } from './refusals.ts'
import { entity } from './sources.ts'

let definitions: Definitions
let refused: Definitions['refused']
beforeAll(async () => {
  definitions = await openDefinitions()
  refused = definitions.refused
})
afterAll(() => definitions?.stop())

describe('an entity', () => {
  const state = (states: object, initial = 'open') => ({ initial, states })
  test.each<[string, unknown, Issue[]]>([
    ['without states', undefined, [['/states', required]]],
    ['with states that are a list', [], [['/states', /object/]]],
    ['without a beginning', { states: { open: {} } }, [['/states/initial', required]]],
    ['with a missing initial state', state({ open: {} }, 'new'), [['/states/initial', /none of the states/]]],
    [
      'with no states',
      state({}),
      [
        ['/states/states', /1/],
        ['/states/initial', /none/],
      ],
    ],
    [
      'with an invalid state name',
      state({ open: { on: { go: 'a b' } }, 'a b': {} }),
      [['/states/states/a b', /name of/]],
    ],
    ['with an empty name', state({ open: { on: { go: '' } }, '': {} }), [['/states/states/', /name of/]]],
    [
      'with a state named like Object.prototype',
      JSON.parse('{"initial":"open","states":{"open":{"on":{"go":"__proto__"}},"__proto__":{}}}'),
      [['/states/states/__proto__', /name of .*, other than __proto__/]],
    ],
    [
      'with an invalid event name',
      state({ open: { on: { 'go on': 'open' } } }),
      [['/states/states/open/on/go on', /name of/]],
    ],
    ['with a wildcard event', state({ open: { on: { '*': 'open' } } }), [['/states/states/open/on/*', /name of/]]],
    ['with a slash', state({ open: { on: { 'a/b': 'open' } } }), [['/states/states/open/on/a~1b', /name of/]]],
    [
      'that moves to a missing state',
      state({ open: { on: { go: 'gone' } } }),
      [['/states/states/open/on/go', /no state "gone"/]],
    ],
    [
      'that moves to an object',
      state({ open: { on: { go: { target: 'open' } } } }),
      [['/states/states/open/on/go', /^Must be a text\.$/]],
    ],
    [
      'that moves to a property of every object',
      state({ open: { on: { go: 'toString' } } }),
      [['/states/states/open/on/go', /no state/]],
    ],
    [
      'with transitions from a final state',
      state({ open: { on: { close: 'closed' } }, closed: { final: true, on: { open: 'open' } } }),
      [['/states/states/closed/on', /final state/]],
    ],
    [
      'with unreachable states',
      state({ open: { on: { close: 'closed' } }, closed: {}, lost: { on: { to: 'found' } }, found: {} }),
      [
        ['/states/states/lost', /from "open"/],
        ['/states/states/found', /from "open"/],
      ],
    ],
    ['with nested states', state({ open: { states: {} } }), [['/states/states/open/states', noSuchField]]],
    ['with actions', state({ open: { entry: 'x' } }), [['/states/states/open/entry', noSuchField]]],
    [
      'with a final state that is text',
      state({ open: { final: 'yes' } }),
      [['/states/states/open/final', /^Must be true or false\.$/]],
    ],
    [
      'with 101 states',
      state(
        Object.fromEntries(
          many(101, (index) => [
            index === 0 ? 'open' : `s${index}`,
            { on: { go: `s${index + 1 === 101 ? 1 : index + 1}` } },
          ]),
        ),
      ),
      [['/states/states', /100/]],
    ],
    [
      'with 1,001 moves',
      state(
        Object.fromEntries([
          ['open', { on: { go: 'a' } }],
          ...many(10, (index) => [
            index === 0 ? 'a' : `s${index}`,
            { on: Object.fromEntries(many(100, (event) => [`e${event}`, event < 9 ? `s${event + 1}` : 'a'])) },
          ]),
        ]),
      ),
      [['/states/states', /1,000/]],
    ],
  ])('%s is rejected', async (_, states, issues) => {
    const source = entity(states === undefined ? null : states)
    const body = { source: states === undefined ? { schema: { type: 'object' } } : source }
    await refused(
      'entity',
      body,
      issues.map(([path, message]) => [`/body/source${path}`, message]),
    )
  })

  test.each<[string, unknown, Issue[]]>([
    ['without a schema', undefined, [['/schema', required]]],
    ['with a schema that does not compile', { type: 'object', required: 'x' }, [['/schema/required', /./]]],
    ['with data that is not an object', { type: 'string' }, [['/schema/type', /object/]]],
    ['with an endless schema', { $ref: '#' }, [['/schema', /itself endlessly/]]],
  ])('%s is rejected', async (_, schema, issues) => {
    const source = { ...entity(), schema }
    await refused(
      'entity',
      { source },
      issues.map(([path, message]) => [`/body/source${path}`, message]),
    )
  })
})
