/** The chapters of the API document, in the order in which they are read: from a first run to the operator's own. */

const chapters: Record<string, Record<string, string>> = {
  'Agents at work': {
    'Agent runs': 'Start, watch, cancel and continue runs, and look at their steps and checkpoints.',
    Jobs: 'Agent jobs: runs on a schedule.',
    Workflows: 'Runs of workflows: operations in steps that survive crashes.',
    Operations: 'Calls of operations, and the decisions of people that some of them wait for.',
    Entities: 'Data with a life of its own, written by operations.',
  },
  'From source to service': {
    Projects: 'Projects and access to them.',
    Templates: 'Ready-made Agents to start a Project from.',
    Agents: 'Agents, their revisions and provider settings; the agents of the platform.',
    Definitions: 'Definitions of entities, operations and workflows, and their revisions.',
    Environments: 'Environments and their lifecycle.',
    Deployments: 'Releases, Configuration Revisions, Deployments and Activations.',
  },
  'Outside services': {
    Variables: 'Variables and secrets of organizations and Environments.',
    'Provider credentials': 'Credentials for the vendors of models and other services; their values are never shown.',
    Connections: 'Connections of an Environment to outside services.',
    Integrations: "An organization's own OAuth clients at providers.",
    OAuth: 'The flow of a browser through an outside consent page.',
    Events: 'The ordered history of an Environment.',
    Webhooks: "Subscriptions to an Environment's history, and their deliveries.",
  },
  People: {
    Sessions: 'Signing in and out; accepting an invitation; verifying an address; a new password by mail.',
    'API keys': 'Credentials for programs.',
    'Runner pools': 'Runners outside the server, whose runs they may carry out, and their tokens.',
    Organizations: 'Organizations, their members, user groups and audit log.',
    Billing: 'Plans, subscriptions and usage.',
  },
  'Inside the server': {
    Machines: 'The statecharts of the server, and the actors that live by them.',
    'Runner protocol': 'What the server and its runners say to each other.',
    Operating: 'What operators and their tools ask.',
  },
}

/** The chapters that are used. Throws when one is not among them here. */
export function tags(used: ReadonlySet<string>): { name: string; description: string }[] {
  const known = Object.values(chapters).flatMap(Object.entries)
  for (const name of used) if (!known.some(([known]) => known === name)) throw new Error(`No chapter is called ${name}`)
  return known.filter(([name]) => used.has(name)).map(([name, description]) => ({ name, description }))
}

/** The chapters by part, for readers of the document that show them so. */
export const tagGroups = (used: ReadonlySet<string>): { name: string; tags: string[] }[] =>
  Object.entries(chapters)
    .map(([name, names]) => ({ name, tags: Object.keys(names).filter((tag) => used.has(tag)) }))
    .filter(({ tags: present }) => present.length > 0)
