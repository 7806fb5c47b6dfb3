/**
 * Examples of requests and answers by operation: one shop, from its Project to a run of its Agent. The tests validate each
 * against its schema with Redocly.
 */
import { applyExamples } from './applies.ts'
import { automationExamples } from './automation.ts'
import { configurationExamples } from './configuration.ts'
import { eventExamples } from './events.ts'
import { runExamples } from './runs.ts'
import { tenancyExamples } from './tenancy.ts'
import { at, createdBy, type Example, id, made } from './values.ts'

const reportsKey = {
  id: id('key'),
  name: 'Reports',
  prefix: 'trp_7hQ2',
  operations: ['agent-runs:list', 'projects:get'],
  projectId: id('prj'),
  environmentId: null,
  agentId: null,
  createdBy: id('usr'),
  expiresAt: '2026-05-01T12:00:00.000Z',
  lastUsedAt: null,
  status: 'active',
  createdAt: at('12:00:00.000'),
}

const operations = [
  {
    name: 'find',
    description: 'Finds an order by its number.',
    inputSchema: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
    effect: 'read',
    idempotent: true,
    approval: 'never',
    handler: { type: 'echo' },
  },
]
const releaseDiff = {
  before: { releaseId: id('rel'), number: 1 },
  after: { releaseId: id('rel'), number: 2 },
  agents: [
    {
      name: 'clerk',
      change: 'changed',
      before: { agentId: id('agt'), agentRevisionId: id('agr'), number: 1 },
      after: { agentId: id('agt'), agentRevisionId: id('agr'), number: 2 },
      differences: [
        {
          path: '/instructions',
          before: 'Answer questions about orders.',
          after: 'Answer questions about orders, briefly.',
          shortened: false,
        },
      ],
      grants: { added: ['orders.find'], removed: [] },
      delegates: [],
    },
  ],
  definitions: [],
  truncated: false,
}

export const examples: Record<string, Example> = {
  ...tenancyExamples,
  ...configurationExamples,
  ...runExamples,
  ...automationExamples,
  ...applyExamples,
  ...eventExamples,
  createProject: {
    request: { slug: 'shop', name: 'Shop' },
    answer: {
      data: {
        id: id('prj'),
        organizationId: id('org'),
        slug: 'shop',
        name: 'Shop',
        templateId: null,
        status: 'active',
        ...made,
      },
    },
  },
  createDefinition: { request: { name: 'orders', kind: 'operations' } },
  createDefinitionRevision: { request: { source: { operations } } },
  previewDefinitionRevision: { request: { source: { operations } } },
  createAgent: {
    request: { slug: 'clerk', name: 'Clerk' },
    answer: {
      data: {
        id: id('agt'),
        projectId: id('prj'),
        slug: 'clerk',
        name: 'Clerk',
        description: null,
        status: 'active',
        latestRevisionId: null,
        ...made,
      },
    },
  },
  createAgentRevision: {
    request: {
      content: {
        instructions: 'Answer questions about orders. Look an order up before you say anything about it.',
        tools: [{ kind: 'operation', name: 'find_order', operation: 'orders.find' }],
      },
      grantedOperations: ['orders.find'],
    },
  },
  createRelease: {
    request: {
      agents: [{ agentId: id('agt'), agentRevisionId: id('agr') }],
      definitions: [{ definitionId: id('def'), definitionRevisionId: id('dfr') }],
    },
  },
  updateEnvironment: { request: { lifecycle: 'active', expectedLifecycle: 'provisioning' } },
  createConfigurationRevision: { request: { expectedHeadRevisionId: id('cfr') } },
  createDeployment: {
    request: { releaseId: id('rel'), configurationRevisionId: id('cfr') },
    answer: {
      data: {
        id: id('dep'),
        environmentId: id('env'),
        releaseId: id('rel'),
        configurationRevisionId: id('cfr'),
        credentials: 'pinned',
        state: 'queued',
        stateReason: null,
        digest: null,
        createdBy,
        ...made,
        readyAt: null,
      },
    },
  },
  diffRelease: { answer: { data: releaseDiff } },
  diffDeployment: {
    answer: {
      data: {
        before: {
          deploymentId: id('dep'),
          configurationRevisionId: id('cfr'),
          configurationNumber: 1,
          credentials: 'pinned',
        },
        after: {
          deploymentId: id('dep'),
          configurationRevisionId: id('cfr'),
          configurationNumber: 2,
          credentials: 'pinned',
        },
        release: releaseDiff,
        variables: [
          {
            name: 'SHOP_REGION',
            agent: null,
            bindingKey: null,
            change: 'changed',
            before: { variableId: id('var'), version: 1 },
            after: { variableId: id('var'), version: 2 },
          },
        ],
        connections: [],
        providerSettings: [],
        truncated: false,
      },
    },
  },
  createActivation: {
    request: { deploymentId: id('dep'), expectedGeneration: 0 },
    answer: {
      data: {
        id: id('act'),
        environmentId: id('env'),
        deploymentId: id('dep'),
        previousDeploymentId: null,
        generation: 1,
        createdBy,
        createdAt: at('12:00:00.000'),
      },
    },
  },
  createApiKey: {
    request: { name: 'Reports', operations: ['agent-runs:*', 'projects:get'], projectId: id('prj') },
  },
  rotateApiKey: {
    request: { overlapSeconds: 3_600 },
    answer: {
      data: {
        ...reportsKey,
        id: 'key_01h455vb4pex5vsknk084sn02r',
        secret: `trp_${'2'.repeat(49)}`,
        previous: { ...reportsKey, expiresAt: at('13:00:00.000') },
      },
    },
  },
  createSession: { request: { email: 'ada@example.com', password: '…' } },
  changePassword: { request: { current: 'the password until now', new: 'a new one, of eight characters or more' } },
  listSessions: {
    answer: {
      data: {
        items: [
          {
            id: id('ses'),
            createdAt: at('08:30:00.000'),
            lastUsedAt: at('12:00:00.000'),
            expiresAt: '2026-02-01T00:00:00.000Z',
            address: '192.0.2.17',
            userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
            current: true,
          },
        ],
      },
      pagination: { limit: 20, hasMore: false },
    },
  },
  addMember: {
    request: { email: 'ada@example.com', role: 'admin' },
    answer: {
      data: {
        invitation: {
          id: id('ivt'),
          email: 'ada@example.com',
          role: 'admin',
          expiresAt: '2026-02-07T12:00:00.000Z',
          token: 'qJ5r…',
        },
      },
    },
  },
  acceptInvitation: {
    request: { token: 'qJ5r…', name: 'Ada Lovelace', password: 'correct horse battery staple' },
  },
  joinOrganization: { request: { token: 'qJ5r…' } },
  requestVerification: { answer: { data: { email: 'ada@example.com', verifiedAt: null, mail: true } } },
  verifyAddress: {
    answer: { data: { email: 'ada@example.com', verifiedAt: at('12:00:00.000'), mail: true } },
  },
  requestPasswordReset: { request: { email: 'ada@example.com' }, answer: { data: { mail: true } } },
  resetPassword: { request: { password: 'correct horse battery staple' } },
}
