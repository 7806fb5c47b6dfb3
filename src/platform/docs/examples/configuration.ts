/** Examples of requests and answers about what Agents are made of and configured with, by operation. */
import { at, createdBy, digest, type Example, id, made } from './values.ts'

const created = { createdBy, createdAt: at('12:00:00.000') }
const orders = {
  id: id('def'),
  projectId: id('prj'),
  name: 'orders',
  kind: 'operations',
  description: 'What the shop knows about orders.',
  status: 'active',
  latestRevisionId: id('dfr'),
  ...made,
}
const credential = {
  id: id('crd'),
  label: 'OpenAI of the shop',
  provider: 'openai',
  credentialType: 'api_key',
  status: 'active',
  expiresAt: null,
  currentVersion: 1,
  versions: [{ version: 1, createdAt: at('12:00:00.000') }],
  ...made,
}
const organizationVariable = {
  id: id('var'),
  name: 'SHOP_REGION',
  version: 1,
  description: 'Where the shop delivers.',
  status: 'active',
  valueDigest: `hmac-${digest('5')}`,
  valueLength: 2,
  ...made,
}
const variable = {
  ...organizationVariable,
  sourceVariableId: null,
  sourceVersion: null,
  agentId: null,
  bindingKey: null,
}
const shop = { baseUrl: 'https://shop.example.com/v1', auth: 'bearer' }
const connection = {
  id: id('con'),
  environmentId: id('env'),
  name: 'shop',
  kind: 'http',
  status: 'active',
  statusReason: null,
  settings: shop,
  agentId: null,
  bindingKey: null,
  currentVersion: { id: id('cnv'), number: 1, createdAt: at('12:00:00.000') },
  ...made,
}
const setting = {
  settingId: 7,
  agentId: id('agt'),
  provider: 'openai',
  model: 'gpt-5.5',
  settings: { temperature: 0.2 },
  providerCredentialId: id('crd'),
  providerCredentialVersion: null,
  ...made,
}

export const configurationExamples: Record<string, Example> = {
  updateAgent: { request: { name: 'Order clerk', description: 'Answers questions about orders.' } },
  previewAgentRevision: { request: { content: { instructions: 'Answer questions about orders, briefly.' } } },
  updateSystemAgent: { request: { enabled: false } },
  getDefinition: { answer: { data: orders } },
  updateDefinition: { request: { description: 'What the shop knows about orders.' }, answer: { data: orders } },
  importOperations: {
    request: {
      openapi: {
        openapi: '3.1.0',
        info: { title: 'Shop', version: '1' },
        paths: { '/orders': { get: { operationId: 'listOrders', responses: { 200: { description: 'Orders.' } } } } },
      },
      connection: 'shop',
    },
  },
  getRelease: {
    answer: {
      data: {
        id: id('rel'),
        projectId: id('prj'),
        number: 1,
        agents: [{ agentId: id('agt'), agentRevisionId: id('agr') }],
        definitions: [{ definitionId: id('def'), definitionRevisionId: id('dfr') }],
        delegateAttachments: [],
        description: null,
        digest: digest('3'),
        ...created,
      },
    },
  },
  getConfigurationRevision: {
    answer: {
      data: {
        id: id('cfr'),
        environmentId: id('env'),
        number: 1,
        parentId: 'cfr_01h455vb4pex5vsknk084sn02p',
        variables: [{ variableId: id('var'), name: 'SHOP_REGION', version: 1, agentId: null, bindingKey: null }],
        connections: [
          { connectionId: id('con'), connectionVersionId: id('cnv'), name: 'Shop', agentId: null, bindingKey: null },
        ],
        providerSettings: [
          {
            settingId: 7,
            agentId: id('agt'),
            provider: 'openai',
            model: 'gpt-5.5',
            providerCredentialId: id('crd'),
            providerCredentialVersion: 1,
          },
        ],
        digest: digest('4'),
        description: null,
        ...created,
      },
    },
  },
  createProviderCredential: {
    request: { label: 'OpenAI of the shop', provider: 'openai', credentialType: 'api_key', secret: 'sk-…' },
    answer: { data: credential },
  },
  updateProviderCredential: {
    request: { status: 'disabled' },
    answer: { data: { ...credential, status: 'disabled' } },
  },
  createProviderCredentialVersion: { request: { secret: 'sk-…' } },
  createOrganizationVariable: {
    request: { name: 'SHOP_REGION', value: 'EU', description: 'Where the shop delivers.' },
    answer: { data: organizationVariable },
  },
  updateOrganizationVariable: { request: { value: 'US' } },
  createVariable: {
    request: { name: 'SHOP_REGION', value: 'EU', description: 'Where the shop delivers.' },
    answer: { data: variable },
  },
  updateVariable: { request: { value: 'US' }, answer: { data: { ...variable, version: 2 } } },
  createConnection: {
    request: { name: 'shop', kind: 'http', settings: shop, providerCredentialId: id('crd') },
    answer: { data: connection },
  },
  updateConnection: { request: { version: { providerCredentialId: id('crd'), providerCredentialVersion: 2 } } },
  getConnectionHealth: {
    answer: {
      data: {
        items: [
          { bindingKey: 'shop', agentId: id('agt'), required: true, connectionId: id('con'), state: 'healthy' },
          { bindingKey: 'mail', agentId: id('agt'), required: false, connectionId: null, state: 'missing' },
        ],
      },
    },
  },
  createProviderSetting: {
    request: {
      provider: 'openai',
      model: 'gpt-5.5',
      settings: { temperature: 0.2 },
      providerCredentialId: id('crd'),
    },
    answer: { data: setting },
  },
  updateProviderSetting: { request: { model: null } },
  registerIntegration: {
    request: {
      presetKey: 'google-workspace',
      clientId: '1234567890-abc.apps.googleusercontent.com',
      clientSecret: 'GOCSPX-from-the-console',
    },
    answer: {
      data: {
        id: id('int'),
        presetKey: 'google-workspace',
        clientId: '1234567890-abc.apps.googleusercontent.com',
        status: 'active',
        verifiedAt: at('12:00:00.000'),
        lastVerification: {
          outcome: 'verified',
          code: null,
          message: 'The provider accepts the client.',
          at: at('12:00:00.000'),
        },
        currentVersion: { id: id('inv'), number: 1 },
        ...made,
      },
    },
  },
  rotateIntegration: { request: { clientSecret: 'GOCSPX-from-the-console' } },
  simulateDefinitionRevision: { request: { steps: [{ event: 'ship' }, { waitMs: 60_000 }] } },
  simulateMachine: { request: { steps: [{ event: 'lease' }, { waitMs: 60_000 }] } },
}
