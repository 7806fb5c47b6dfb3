/** Examples of events, webhooks, deliveries and alert rules: a run has completed, and a shop is told. */
import { at, type Example, id, made, pageOf } from './values.ts'

const subscription = { endpointUrl: 'https://example.com/hooks/troupe', eventTypes: ['run.completed', 'run.failed'] }
const webhook = {
  id: id('whk'),
  ...subscription,
  enabled: true,
  disabledReason: null,
  failingSince: null,
  deadLetters: 0,
  captureResponses: false,
  secretVersion: 1,
  ...made,
}
const event = {
  id: id('evt'),
  type: 'run.completed',
  timestamp: at('12:00:02.730'),
  sequence: 42,
  organizationId: id('org'),
  projectId: id('prj'),
  environmentId: id('env'),
  subject: { type: 'agentRun', id: id('run') },
  actor: { type: 'runner', id: id('att') },
  data: {
    agentRunId: id('run'),
    agentId: id('agt'),
    agentRevisionId: id('agr'),
    deploymentId: id('dep'),
    from: 'running',
    to: 'completed',
  },
}
const resumeCursor = 'HLPadRvQ8hI7Dn4MY1YOxlsicmVzdW1lIiwxLDQyXQ'

const attempt = { number: 1, status: 200, errorClass: null, durationMs: 84, at: at('12:00:02.740') }
const created = {
  deliveryId: id('dlv'),
  webhookId: id('whk'),
  eventId: id('evt'),
  eventType: 'run.completed',
  state: 'pending',
  attempts: 0,
  nextAttemptAt: at('12:00:02.740'),
  replayOf: null,
  lastAttempt: null,
  attemptHistory: [],
  createdAt: at('12:00:02.740'),
  updatedAt: at('12:00:02.740'),
  deliveredAt: null,
  expiresAt: '2026-03-02T12:00:02.730Z',
}
const delivered = {
  ...created,
  state: 'delivered',
  attempts: 1,
  nextAttemptAt: null,
  lastAttempt: attempt,
  attemptHistory: [attempt],
  updatedAt: at('12:00:02.824'),
  deliveredAt: at('12:00:02.824'),
}

const since = at('06:00:00.000')
const recovery = {
  id: id('whr'),
  webhookId: id('whk'),
  state: 'running',
  since,
  progress: { retried: 0, made: 0, left: ['dead-letter', 'missed'] },
  error: null,
  ...made,
  endedAt: null,
}
const recovered = {
  ...recovery,
  state: 'completed',
  progress: { retried: 3, made: 17, left: [] },
  endedAt: at('12:00:04.000'),
}

export const eventExamples: Record<string, Example> = {
  listEvents: { answer: { events: [event], pagination: { limit: 20, hasMore: false, resumeCursor } } },
  listEventTypes: {
    answer: {
      data: {
        items: [
          { type: 'run.completed', schema: { type: 'object', properties: { type: { const: 'run.completed' } } } },
        ],
      },
    },
  },
  rebaselineEvents: {
    answer: {
      checkpointId: 7,
      checkpointGeneration: 1,
      baseline: {
        takenAt: at('12:00:03.000'),
        sequence: 42,
        environment: {
          id: id('env'),
          state: 'active',
          generation: 1,
          configurationHeadRevisionId: id('cfr'),
          activeDeploymentId: id('dep'),
        },
        activeDeployment: {
          id: id('dep'),
          state: 'ready',
          releaseId: id('rel'),
          configurationRevisionId: id('cfr'),
        },
        agents: [{ id: id('agt'), state: 'active', agentRevisionId: id('agr') }],
        nonTerminalRuns: [],
        entities: [],
        truncated: false,
      },
      resumeCursor,
    },
  },
  createWebhook: { request: subscription, answer: { data: { ...webhook, signingSecret: 'whsec_…' } } },
  listWebhooks: { answer: pageOf(webhook) },
  getWebhook: { answer: { data: webhook } },
  updateWebhook: { request: { enabled: false }, answer: { data: { ...webhook, enabled: false } } },
  deleteWebhook: { answer: { data: webhook } },
  rotateWebhookSecret: { answer: { data: { ...webhook, secretVersion: 2, signingSecret: 'whsec_…' } } },
  testWebhook: { answer: { data: { ...created, eventType: 'webhook.test' } } },
  listWebhookDeliveries: { answer: pageOf(delivered) },
  getWebhookDelivery: { answer: { data: delivered } },
  replayWebhookDelivery: { answer: { data: { ...created, replayOf: id('dlv') } } },
  retryWebhookDelivery: { answer: { data: created } },
  recoverWebhook: { request: { since }, answer: { data: recovery } },
  listWebhookRecoveries: { answer: pageOf(recovered) },
  getWebhookRecovery: { answer: { data: recovered } },
  cancelWebhookRecovery: { answer: { data: { ...recovery, state: 'canceled', endedAt: at('12:00:01.000') } } },
  getWebhookDeliveryStatistics: {
    answer: {
      data: { deadLetters: 3, environments: [{ projectId: id('prj'), environmentId: id('env'), deadLetters: 3 }] },
    },
  },
  createAlertRule: {
    request: {
      name: 'Runs fail',
      environmentId: id('env'),
      condition: { type: 'failing', count: 10, withinMinutes: 15 },
      notify: { webhooks: true, mail: false },
    },
  },
  updateAlertRule: { request: { enabled: false } },
}
