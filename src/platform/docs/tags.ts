/** The chapters of the API document, in reading order. */

const chapters: Record<string, Record<string, string>> = {
  'Agents at work': {
    'Agent runs': 'Start, watch, cancel and continue runs, and look at their steps and checkpoints.',
    Inbox: 'What needs attention, in all Environments.',
    Jobs: 'Agent jobs: runs on a schedule.',
    Workflows: 'Runs of workflows: operations in steps that survive crashes.',
    Operations: 'Calls of operations, and the approvals that some of them require.',
    Workers: 'Operations in processes of yours: the protocol of workers, and who serves which queue.',
    Entities: 'Data with a lifecycle, changed by operations.',
  },
  'From source to service': {
    Projects: 'Projects and access to them.',
    Templates: 'Ready-made Agents to start a Project from.',
    Agents: 'Agents, their revisions and provider settings; the agents of the platform.',
    Definitions: 'Definitions of entities, operations and workflows, and their revisions.',
    Environments: 'Environments and their lifecycle.',
    Applies: 'Manifests: a whole Project from a file to an active Deployment; promotions and roll-backs.',
    Deployments: 'Releases, Configuration Revisions, Deployments and Activations.',
  },
  'Outside services': {
    Variables: 'Variables and secrets of organizations and Environments.',
    'Provider credentials': 'Credentials for the vendors of models and other services; their values are never shown.',
    Connections: 'Connections of an Environment to outside services.',
    Integrations: "An organization's own OAuth clients at providers.",
    OAuth: 'The browser flow through the consent page of a provider.',
    Events: 'The ordered history of an Environment.',
    Alerts: 'Rules that watch runs, deliveries and budgets, and notify when they fire.',
    Webhooks: "Subscriptions to an Environment's history, and their deliveries.",
  },
  People: {
    Sessions: 'Signing in and out, accepting invitations, verifying addresses, resetting passwords.',
    'API keys': 'Credentials for programs.',
    'Runner pools': 'Runners outside the server: which runs they may execute, and their tokens.',
    Organizations: 'Organizations, their members, user groups and audit log.',
    Billing: 'Plans, subscriptions and usage.',
  },
  'Inside the server': {
    Machines: 'The statecharts of the server and their actors.',
    'Runner protocol': 'The protocol between the server and its runners.',
    Operating: 'Health, metrics and settings, for operators and their tools.',
  },
}

/** The chapters in use. Throws for an unknown one. */
export function tags(used: ReadonlySet<string>): { name: string; description: string }[] {
  const known = Object.values(chapters).flatMap(Object.entries)
  for (const name of used) if (!known.some(([known]) => known === name)) throw new Error(`There is no chapter ${name}`)
  return known.filter(([name]) => used.has(name)).map(([name, description]) => ({ name, description }))
}

/** The chapters by part, for tools that group them. */
export const tagGroups = (used: ReadonlySet<string>): { name: string; tags: string[] }[] =>
  Object.entries(chapters)
    .map(([name, names]) => ({ name, tags: Object.keys(names).filter((tag) => used.has(tag)) }))
    .filter(({ tags: present }) => present.length > 0)
