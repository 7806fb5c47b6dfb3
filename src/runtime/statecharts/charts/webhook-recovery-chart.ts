/** The statechart of a webhook's recovery, in words. Source: contract 7, "Decided since". */
import { webhookRecoveryMachine } from '../../../../machines/webhook-recovery.ts'
import type { Chart } from './chart.ts'

const path = '/api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}'

export const webhookRecoveryChart: Chart = {
  title: 'Webhook recovery',
  about:
    'What a webhook has not got is put back into the queue: its dead letters, then the events of the times in which it was ' +
    'disabled. It is done in pieces; a server that starts again goes on with the piece that was under way.',
  machine: webhookRecoveryMachine,
  input: { states: ['dead-letter', 'missed'], afterSequence: 0 },
  events: {
    create: { by: 'command', says: `\`POST ${path}/recover\`.` },
    advanced: { by: 'server', says: 'A piece has been put back.' },
    stopped: { by: 'server', says: 'The webhook was disabled meanwhile.' },
    cancel: { by: 'command', says: `\`POST ${path}/recoveries/{recoveryId}/cancel\`.` },
  },
  guards: {
    ofThisPiece: 'It is the piece that was under way.',
    lastPiece: 'It is the piece that was under way, and there is nothing behind it.',
  },
  deadlines: {},
  effects: {
    recoverSome: 'Puts the next piece back into the queue, and reports that.',
  },
}
