/** The incident assistant's sources and records, and a workflow for the first look. */
import { reading, recording } from './operations.ts'
import type { TemplateDefinition } from './template.ts'

const monitoring = 'monitoring'
const instant = { type: 'string', format: 'date-time', description: 'In UTC, such as 2026-01-31T14:05:00Z.' }
const service = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  description: 'Its name in the monitoring; left out: all.',
}
const affected = { ...service, description: 'The one that is in trouble.' }

const observations: TemplateDefinition = {
  name: 'monitoring',
  kind: 'operations',
  description:
    'Looks at alerts and at what was deployed, over the Connection that is bound as `monitoring`. Change the paths to those of your own system.',
  source: {
    operations: [
      reading(
        {
          name: 'alerts',
          description: 'Lists the alerts since a time, those that are over included.',
          takes: { since: instant, service },
          required: ['since'],
        },
        {
          connection: monitoring,
          path: '/alerts',
          query: { since: '{{input.since}}', service: '{{input.service}}' },
        },
      ),
      reading(
        {
          name: 'deployments',
          description: 'Lists what was deployed since a time: what, by whom, and which version was there before.',
          takes: { since: instant, service },
          required: ['since'],
        },
        {
          connection: monitoring,
          path: '/deployments',
          query: { since: '{{input.since}}', service: '{{input.service}}' },
        },
      ),
    ],
  },
}

const timeline: TemplateDefinition = {
  name: 'timeline',
  kind: 'operations',
  description: 'Puts moments of an incident on record, so that its timeline can be read from the steps of the run.',
  source: {
    operations: [
      recording({
        name: 'note',
        description: 'Puts one moment of the incident on record. It goes to nobody and changes nothing.',
        takes: {
          at: instant,
          kind: {
            type: 'string',
            enum: ['began', 'noticed', 'observed', 'understood', 'acted', 'harm-stopped', 'over'],
            description: 'What kind of moment it was.',
          },
          what: { type: 'string', minLength: 1, maxLength: 500, description: 'What happened, in one sentence.' },
          source: { type: 'string', minLength: 1, maxLength: 200, description: 'Who or what says so.' },
        },
      }),
    ],
  },
}

const firstLook: TemplateDefinition = {
  name: 'first-look',
  kind: 'workflow',
  description: 'Alerts and deployments side by side, then the beginning of the timeline.',
  source: {
    params: {
      type: 'object',
      properties: { since: instant, service: affected, symptom: { type: 'string', minLength: 1, maxLength: 500 } },
      required: ['since', 'service', 'symptom'],
      additionalProperties: false,
    },
    steps: [
      {
        id: 'alerts',
        operation: 'monitoring.alerts',
        input: { since: '{{params.since}}', service: '{{params.service}}' },
        retry: { maxAttempts: 3, backoffMs: 1_000 },
        onError: 'continue',
      },
      {
        id: 'deployments',
        operation: 'monitoring.deployments',
        input: { since: '{{params.since}}', service: '{{params.service}}' },
        retry: { maxAttempts: 3, backoffMs: 1_000 },
        onError: 'continue',
      },
      {
        id: 'begin',
        operation: 'timeline.note',
        after: ['alerts', 'deployments'],
        input: { at: '{{params.since}}', kind: 'noticed', what: '{{params.symptom}}', source: 'first look' },
      },
    ],
    output: {
      alerts: '{{steps.alerts.output}}',
      deployments: '{{steps.deployments.output}}',
      noted: '{{steps.begin.output.what}}',
    },
  },
}

export const incidentDefinitions: readonly TemplateDefinition[] = [observations, timeline, firstLook]
