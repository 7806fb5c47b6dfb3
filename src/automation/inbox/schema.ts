/** The shapes of the inbox. */
import { type Static, Type } from '@sinclair/typebox'
import { pageQuery } from '../../platform/http/pagination.ts'
import { Id, idFilter, nullable, oneOf, Pagination, Timestamp } from '../../platform/http/schema.ts'
import { countedMax, inboxKinds, inboxReasons } from './kinds.ts'

const Kind = oneOf(inboxKinds, {
  $id: 'InboxKind',
  description:
    'What it is: `alert` an alert rule that fires; `approval` an approval to decide; `waitingRun` a run that waits for an answer; `unknownOutcome` a call or ' +
    'a workflow run whose outcome is unknown; `webhook` one that fails, is disabled or has dead letters; `deployment` the ' +
    'latest of an Environment, which has failed; `connection` one that the server has disabled; `credential` and `apiKey` ' +
    'what has ended or is about to; `budget` minutes that are nearly used up.',
})

export const InboxQuery = Type.Object({
  ...pageQuery.properties,
  kind: Type.Optional(oneOf(inboxKinds, { description: 'Items of this kind only; the counts are of all kinds.' })),
  projectId: idFilter('prj', 'What is in this Project.'),
  environmentId: idFilter('env', 'What is in this Environment.'),
})
export type InboxQuery = Static<typeof InboxQuery>

const Named = (prefix: 'prj' | 'env') => ({ id: Id(prefix), name: Type.String() })

export const InboxItem = Type.Object(
  {
    kind: Kind,
    id: Type.String({
      description:
        'The id of the resource that needs attention: the approval, the run, the invocation, the workflow run, the webhook ' +
        'and so on; for a budget, the organization.',
    }),
    reason: oneOf(inboxReasons, { description: 'Why it needs attention.' }),
    title: Type.String({
      description: 'The name of the operation, the tool or the resource, or the host of the endpoint.',
    }),
    message: Type.String({ description: 'The problem, in one sentence.' }),
    since: Timestamp('Since when it has needed attention.'),
    dueAt: nullable(Timestamp('When an approval expires, or a credential, a key, a period ends.')),
    project: nullable(Type.Object(Named('prj'))),
    environment: nullable(
      Type.Object({ ...Named('env'), kind: oneOf(['development', 'preview', 'production'] as const) }),
    ),
    agentId: nullable(Type.String({ description: 'The Agent, if it is about one.' })),
    invocationId: nullable(Id('opi', 'For an approval or an unknown outcome: the call.')),
    agentRunId: nullable(Id('run', 'The run that waits, or that has made the call.')),
    workflowRunId: nullable(Id('wfr', 'The workflow run that waits, or whose outcome is unknown.')),
    releaseId: nullable(Id('rel', 'Of the Deployment, for items about one.')),
    configurationRevisionId: nullable(Id('cfr', 'Of the Deployment, for items about one.')),
    deadLetters: nullable(Type.Integer({ minimum: 0, maximum: 100, description: 'For a webhook; counted up to 100.' })),
    percent: nullable(Type.Number({ minimum: 0, description: 'For a budget: the used share.' })),
  },
  { $id: 'InboxItem', description: 'Something that needs attention.' },
)
export type InboxItem = Static<typeof InboxItem>

const InboxCount = Type.Object({
  kind: Kind,
  count: Type.Integer({ minimum: 0, maximum: countedMax, description: `No more than ${countedMax} are counted.` }),
})

export const InboxPage = Type.Object(
  {
    data: Type.Object({
      counts: Type.Array(InboxCount, {
        description: 'The number of items of each kind that the credential can read.',
      }),
      total: Type.Integer({ minimum: 0, description: 'The sum of the counts.' }),
      items: Type.Array(InboxItem),
    }),
    pagination: Pagination,
  },
  { $id: 'InboxPage' },
)
