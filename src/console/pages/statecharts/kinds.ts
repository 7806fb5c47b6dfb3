/** What each kind of actor is, in a sentence, and how one is found. */
import { type Place, runAt } from '../../places.ts'

const sentences: Record<string, string> = {
  run: 'One execution of an Agent, from the queue to its end, through waiting for tools and lost runners.',
  environment: 'Where a Project runs. It takes configuration and Deployments once it is active.',
  deployment: 'A Release and a configuration on their way into an Environment, checked step by step.',
  delivery: 'One event on its way to one endpoint, tried again until it is taken or given up.',
  'operation-invocation': 'One call of an operation, with the approval that it may need first.',
  'agent-job': 'A schedule that starts runs of an Agent.',
  'workflow-run': 'One pass through a workflow: its steps, what they wait for, and how they end.',
  deletion: 'The removal of an organization, a Project or an Agent, in small rounds.',
  integration: "An organization's client at a provider, checked with the provider.",
  entity: 'Data with a life of its own. Each Definition brings a statechart; this one is an example.',
  subscription: "An organization's contract, as the payment provider says it stands.",
}

export const aboutKind = (kind: string): string => sentences[kind] ?? 'Something that lives, and its states.'

/** The page of the thing itself, where its address follows from its id. */
export const pageOf = (place: Place, kind: string, id: string): string | undefined =>
  kind === 'run' ? runAt(place, id) : undefined
