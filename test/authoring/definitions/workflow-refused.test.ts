/** Sources of workflows that are rejected, and their issues. Source: contract 6. */
import { afterAll, beforeAll, describe, test } from 'bun:test'
import { type Definitions, type Issue, many, noSuchField, openDefinitions, required } from './refusals.ts'
import { step, workflow } from './sources.ts'

let definitions: Definitions
let refused: Definitions['refused']
beforeAll(async () => {
  definitions = await openDefinitions()
  refused = definitions.refused
})
afterAll(() => definitions?.stop())

describe('a workflow', () => {
  test.each<[string, object, Issue[]]>([
    ['without params', { params: undefined }, [['/params', required]]],
    ['with an invalid params schema', { params: { type: 5 } }, [['/params/type', /./]]],
    ['with params that are not an object', { params: { type: 'array' } }, [['/params/type', /object/]]],
    ['without steps', { steps: undefined }, [['/steps', required]]],
    ['with no steps', { steps: [] }, [['/steps', /1/]]],
    ['with 101 steps', { steps: many(101, (index) => step(`s${index}`)) }, [['/steps', /100/]]],
    ['with a step without an id', { steps: [{ operation: 'a.b' }] }, [['/steps/0/id', required]]],
    ['with a dot in a step id', { steps: [step('a.b')] }, [['/steps/0/id', /match/]]],
    ['with a duplicate step', { steps: [step('a'), step('a')] }, [['/steps/1/id', /same as/]]],
    [
      'with an operation without a Definition',
      { steps: [step('a', { operation: 'find' })] },
      [['/steps/0/operation', /match/]],
    ],
    [
      'with an operation of three parts',
      { steps: [step('a', { operation: 'a.b.c' })] },
      [['/steps/0/operation', /match/]],
    ],
    ['with input that is a list', { steps: [step('a', { input: [] })] }, [['/steps/0/input', /object/]]],
    ['that depends on a missing step', { steps: [step('a', { after: ['b'] })] }, [['/steps/0/after/0', /no step "b"/]]],
    [
      'that depends on a step twice',
      { steps: [step('a'), step('b', { after: ['a', 'a'] })] },
      [['/steps/1/after/1', /same as/]],
    ],
    [
      'with zero attempts',
      { steps: [step('a', { retry: { maxAttempts: 0, backoffMs: 1 } })] },
      [['/steps/0/retry/maxAttempts', /1/]],
    ],
    [
      'with too many attempts',
      { steps: [step('a', { retry: { maxAttempts: 11, backoffMs: 1 } })] },
      [['/steps/0/retry/maxAttempts', /10/]],
    ],
    [
      'with a negative pause',
      { steps: [step('a', { retry: { maxAttempts: 1, backoffMs: -1 } })] },
      [['/steps/0/retry/backoffMs', /0/]],
    ],
    [
      'that retries without a pause',
      { steps: [step('a', { retry: { maxAttempts: 1 } })] },
      [['/steps/0/retry/backoffMs', required]],
    ],
    [
      'with an unknown onError',
      { steps: [step('a', { onError: 'ignore' })] },
      [['/steps/0/onError', /fail, continue/]],
    ],
    [
      'that uses the output of a missing step',
      { steps: [step('a', { input: { x: ['{{steps.b.output.y}}'] } })] },
      [['/steps/0/input/x/0', /no step "b"/]],
    ],
    [
      'that uses the input of a step',
      { steps: [step('a'), step('b', { input: { x: '{{steps.a.input.y}}' } })] },
      [['/steps/1/input/x', /\{\{params\.x\}\} or \{\{steps\.id\.output\.x\}\}/]],
    ],
    [
      'that uses a variable',
      { steps: [step('a', { input: { x: '{{variables.X}}' } })] },
      [['/steps/0/input/x', /only/]],
    ],
    [
      'with nothing to do',
      { steps: [{ id: 'a' }] },
      [['/steps/0/operation', /^The step needs one of operation, workflow, sleep, or waitFor\.$/]],
    ],
    ['with two things to do', { steps: [step('a', { sleep: 5 })] }, [['/steps/0/sleep', /has operation already/]]],
    ['with a sleep of no time', { steps: [{ id: 'a', sleep: 0 }] }, [['/steps/0/sleep', /1/]]],
    [
      'with a sleep of more than 365 days',
      { steps: [{ id: 'a', sleep: 31_536_000_001 }] },
      [['/steps/0/sleep', /31536000000/]],
    ],
    [
      'with a sleep that has an input',
      { steps: [{ id: 'a', sleep: 5, input: {} }] },
      [['/steps/0/input', /Only a step with an operation/]],
    ],
    [
      'that waits without a correlation and for too long',
      { steps: [{ id: 'a', waitFor: { event: 'paid', timeoutMs: 31_536_000_001 } }] },
      [
        ['/steps/0/waitFor/correlation', required],
        ['/steps/0/waitFor/timeoutMs', /31536000000/],
      ],
    ],
    [
      'that waits for an event with placeholders, about a missing step',
      { steps: [{ id: 'a', waitFor: { event: '{{params.x}}', correlation: '{{steps.b.output}}', timeoutMs: 5 } }] },
      [
        ['/steps/0/waitFor/event', /match/],
        ['/steps/0/waitFor/correlation', /no step "b"/],
      ],
    ],
    [
      'with a compensation of a sleep',
      { steps: [{ id: 'a', sleep: 5, compensate: { operation: 'shop.find' } }] },
      [['/steps/0/compensate', /Only a step with an operation/]],
    ],
    [
      'with a compensation about a missing step and something else',
      {
        steps: [
          step('a', { compensate: { operation: 'shop.find', input: { x: '{{steps.b.output}}', y: '{{input.x}}' } } }),
        ],
      },
      [
        ['/steps/0/compensate/input/x', /no step "b"/],
        ['/steps/0/compensate/input/y', /only/],
      ],
    ],
    ['with a list that is text', { steps: [step('a', { forEach: 'x' })] }, [['/steps/0/forEach', /match/]]],
    [
      'with a list of a sleep',
      { steps: [{ id: 'a', sleep: 5, forEach: '{{params.x}}' }] },
      [['/steps/0/forEach', /operation or a workflow/]],
    ],
    [
      'with a concurrency and no list',
      { steps: [step('a', { concurrency: 5 })] },
      [['/steps/0/concurrency', /Only a step with forEach/]],
    ],
    ['with an item and no list', { steps: [step('a', { input: { x: '{{item}}' } })] }, [['/steps/0/input/x', /only/]]],
    [
      'with a list about itself, a missing step, and too many at once',
      { steps: [step('a', { forEach: '{{item}}', concurrency: 101 }), step('b', { forEach: '{{steps.c.output}}' })] },
      [
        ['/steps/0/forEach', /only/],
        ['/steps/0/concurrency', /100/],
        ['/steps/1/forEach', /no step "c"/],
      ],
    ],
    [
      'with a list and a compensation',
      { steps: [step('a', { forEach: '{{params.x}}', compensate: { operation: 'shop.find' } })] },
      [['/steps/0/compensate', /forEach/]],
    ],
    [
      'with a condition that is code',
      { steps: [step('a', { when: 'fetch()' })] },
      [['/steps/0/when', /no comparison/]],
    ],
    [
      'with a condition that has an unknown operator',
      { steps: [step('a', { when: { and: ['{{params.x}}', { exec: 1 }] } })] },
      [['/steps/0/when/and/1', /one operator/]],
    ],
    [
      'with a condition about a missing step',
      { steps: [step('a', { when: { '>': ['{{steps.b.output.n}}', 1] } })] },
      [['/steps/0/when/>/0', /no step "b"/]],
    ],
    [
      'with a condition about its own output',
      { steps: [step('a', { when: '{{steps.a.output}} == 1' })] },
      [['/steps/0', /: a → a\.$/]],
    ],
    [
      'with a condition about something else',
      { steps: [step('a', { when: '{{input.x}} == 1' })] },
      [['/steps/0/when', /only/]],
    ],
    ['with the output of a missing step', { output: { x: '{{steps.b.output}}' } }, [['/output/x', /no step "b"/]]],
    ['with an unfinished placeholder', { output: { x: '{{params.x' } }, [['/output/x', /without/]]],
    ['with an output that is text', { output: 'x' }, [['/output', /object/]]],
    ['with an unknown field', { name: 'x' }, [['/name', noSuchField]]],
    ['with a step that depends on itself', { steps: [step('a', { after: ['a'] })] }, [['/steps/0', /: a → a\.$/]]],
    [
      'with a step that uses its own output',
      { steps: [step('a', { input: { x: '{{steps.a.output.y}}' } })] },
      [['/steps/0', /: a → a\.$/]],
    ],
    [
      'with a cycle of dependencies and outputs',
      {
        steps: [
          step('free'),
          step('a', { after: ['c', 'free'] }),
          step('b', { input: { x: '{{steps.a.output}}' } }),
          step('c', { after: ['b'] }),
        ],
      },
      [['/steps/1', /: a → c → b → a\.$/]],
    ],
    [
      'with two cycles',
      {
        steps: [
          step('a', { after: ['b'] }),
          step('b', { after: ['a'] }),
          step('c', { after: ['d'] }),
          step('d', { after: ['c'] }),
        ],
      },
      [
        ['/steps/0', /a → b → a/],
        ['/steps/2', /c → d → c/],
      ],
    ],
  ])('%s is rejected', async (_, changes, issues) => {
    const source = workflow(changes)
    await refused(
      'workflow',
      { source },
      issues.map(([path, message]) => [`/body/source${path}`, message]),
    )
  })
})
