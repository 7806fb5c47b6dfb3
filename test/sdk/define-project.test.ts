/** Agents and Projects defined in code. */
import { describe, expect, test } from 'bun:test'
import { defineAgent, defineOperations, defineProject, interactive, ManifestError } from '@troupe/sdk'
import { z } from 'zod'
import { orders, same } from './orders.ts'

const expert = defineAgent('expert', { instructions: 'Know everything.', builtins: ['calculator'] })
const clerk = defineAgent('clerk', {
  name: 'Clerk',
  instructions: 'Answer questions about orders.',
  maxSteps: 5,
  tools: {
    find_order: orders.operations.find,
    ask: interactive({
      description: 'Asks the customer.',
      input: z.object({ question: z.string(), urgent: z.boolean().default(false) }),
      answer: (input, { toolName }) => {
        same<typeof input, { question: string; urgent: boolean }>(true)
        return `${toolName}: ${input.question}${input.urgent ? '!' : ''}`
      },
    }),
    choose: interactive({
      description: 'Lets them choose.',
      input: { type: 'object', properties: { of: { type: 'array', items: { type: 'string' } } }, required: ['of'] },
      answer: (input) => {
        same<typeof input, { of: string[] }>(true)
        return input.of[0]
      },
    }),
    tell: { description: 'Left to others.', input: { type: 'object' } },
  },
  delegates: {
    expert: { description: 'Knows more.', agent: expert },
    outside: { description: 'Is elsewhere.', external: true },
  },
  output: z.object({ answer: z.string() }),
})

describe('an Agent', () => {
  test('has content with tools of every kind', () => {
    expect(clerk.content).toEqual({
      instructions: 'Answer questions about orders.',
      maxSteps: 5,
      tools: [
        { kind: 'operation', name: 'find_order', operation: 'orders.find' },
        {
          kind: 'interactive',
          name: 'ask',
          description: 'Asks the customer.',
          inputSchema: expect.objectContaining({ type: 'object', required: ['question'] }),
        },
        {
          kind: 'interactive',
          name: 'choose',
          description: 'Lets them choose.',
          inputSchema: expect.objectContaining({ required: ['of'] }),
        },
        { kind: 'interactive', name: 'tell', description: 'Left to others.', inputSchema: { type: 'object' } },
      ],
      delegates: [
        { name: 'expert', description: 'Knows more.', agent: 'expert' },
        { name: 'outside', description: 'Is elsewhere.', external: true },
      ],
      outputSchema: expect.objectContaining({ type: 'object', required: ['answer'] }),
    })
    expect(expert.content.tools).toEqual([{ kind: 'builtin', name: 'calculator' }])
  })

  test('has answers for its interactive tools, which get validated input', async () => {
    const call = { toolCallId: 'call_1', toolName: 'ask', runId: 'run_1', signal: undefined }
    const answer = (name: string, input: unknown) => clerk.answers[name]?.(input as never, call)
    expect(await answer('ask', { question: 'Which?' })).toBe('ask: Which?')
    expect(await answer('choose', { of: ['red', 'blue'] })).toBe('red')
    await expect(answer('ask', { question: 7 })).rejects.toMatchObject({
      code: 'invalid_value',
      issues: [{ path: '/question' }],
    })
    expect(Object.keys(clerk.answers)).toEqual(['ask', 'choose'])
  })
})

describe('a Project', () => {
  test('is a manifest: everything that its Agents need, by name', () => {
    const manifest = defineProject({
      slug: 'shop',
      name: 'Shop',
      agents: [clerk],
      definitions: {
        refund: {
          kind: 'workflow',
          source: { params: { type: 'object' }, steps: [{ id: 'find', operation: 'orders.find' }] },
        },
      },
      environments: {
        production: {
          variables: { REGION: { value: 'eu' }, TOKEN: { secret: true }, SHARED: { fromOrganization: 'SHARED' } },
          connections: {
            shop: {
              kind: 'http',
              settings: { baseUrl: 'https://shop.example' },
              bind: [{ agent: 'clerk', bindingKey: 'shop' }],
            },
          },
          models: { clerk: { provider: 'anthropic', credential: 'main' } },
          jobs: { evening: { agent: 'clerk', schedule: { cron: '0 18 * * *' }, query: 'What is open?' } },
          webhooks: { 'https://example.com/hook': { eventTypes: ['run.completed'] } },
        },
      },
    })
    expect(manifest).toEqual({
      version: 1,
      project: { slug: 'shop', name: 'Shop' },
      definitions: {
        refund: {
          kind: 'workflow',
          source: { params: { type: 'object' }, steps: [{ id: 'find', operation: 'orders.find' }] },
        },
        orders: { kind: 'operations', source: JSON.parse(JSON.stringify(orders.source)) },
      },
      agents: {
        clerk: { name: 'Clerk', content: JSON.parse(JSON.stringify(clerk.content)) },
        expert: { content: expert.content },
      },
      environments: expect.objectContaining({
        production: expect.objectContaining({ models: { clerk: { provider: 'anthropic', credential: 'main' } } }),
      }),
    })
    expect(JSON.parse(JSON.stringify(manifest))).toEqual(manifest)
  })

  test('names only its own Agents, checked by the compiler', () => {
    const define = () =>
      defineProject({
        slug: 'shop',
        agents: [expert],
        environments: {
          // @ts-expect-error the Project has no such Agent
          production: { jobs: { evening: { agent: 'nobody', schedule: { cron: '0 18 * * *' }, query: 'Hm?' } } },
        },
      })
    expect(define).toThrow('environments/production/jobs/evening: the Project has no Agent nobody.')
  })

  test('has workflows as tools and in jobs', () => {
    const refund = { kind: 'workflow' as const, source: { params: {}, steps: [{ id: 'rest', sleep: 1 }] } }
    const clerk = defineAgent('clerk', { instructions: 'Help.', tools: { pay_back: { workflow: 'refund' } } })
    expect(clerk.content.tools).toEqual([{ kind: 'workflow', name: 'pay_back', workflow: 'refund' }])
    const schedule = { cron: '0 18 * * *' }
    const nightly = { agent: 'clerk' as const, schedule, workflow: 'refund', params: { order: 1 } }
    const environments = { production: { jobs: { nightly } } }
    const manifest = defineProject({ slug: 'shop', agents: [clerk], definitions: { refund }, environments })
    expect(manifest.environments?.production?.jobs?.nightly).toEqual(nightly)
    const without = () => defineProject({ slug: 'shop', agents: [clerk] })
    expect(without).toThrow('agents/clerk: the tool pay_back: the Project has no workflow refund.')
    const other = defineAgent('clerk', { instructions: 'Help.' })
    const job = () => defineProject({ slug: 'shop', agents: [other], environments })
    expect(job).toThrow('environments/production/jobs/nightly: the Project has no workflow refund.')
  })

  test.each([
    [
      'two Agents with the same slug',
      () => defineProject({ slug: 'shop', agents: [expert, defineAgent('expert', { instructions: 'Other.' })] }),
      'Two Agents have the slug expert.',
    ],
    [
      'two Definitions with the same name',
      () => defineProject({ slug: 'shop', agents: [clerk], operations: [defineOperations('orders', {})] }),
      'Two Definitions have the name orders.',
    ],
    [
      'an unknown delegate',
      () =>
        defineProject({
          slug: 'shop',
          agents: [
            defineAgent('lost', { instructions: 'Ask.', delegates: { who: { description: 'Who?', agent: 'nobody' } } }),
          ],
        }),
      'agents/lost: the delegate who is nobody, which the Project does not have.',
    ],
  ])('refuses %s', (_, define, message) => {
    expect(define).toThrow(ManifestError)
    expect(define).toThrow(message)
  })
})
