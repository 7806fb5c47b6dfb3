/** The operations of the wing `authoring`. */
import { definitionSource, type Ids } from '../furnish.ts'
import { ofProject, project, type Row } from './rows.ts'

const agent = (ids: Ids) => ({ ...project(ids), agentId: ids.agent })
const ofAgent: Row = { level: 'agent', path: agent }
const ofDefinition: Row = { level: 'project', path: (ids) => ({ ...project(ids), definitionId: ids.definition }) }

export const authoring: Record<string, Row> = {
  listAgents: ofProject,
  createAgent: { ...ofProject, body: () => ({ slug: `agent-${crypto.randomUUID()}`, name: 'Agent' }) },
  getAgent: ofAgent,
  updateAgent: { ...ofAgent, body: () => ({ name: 'Renamed' }) },
  deleteAgent: { ...ofAgent, destroys: true },
  listAgentRevisions: ofAgent,
  createAgentRevision: { ...ofAgent, body: () => ({ content: { instructions: 'Help.' } }) },
  previewAgentRevision: { ...ofAgent, body: () => ({ content: { instructions: 'Help.' } }), changesNothing: true },
  getAgentRevision: { ...ofAgent, path: (ids) => ({ ...agent(ids), revisionId: ids.revision }) },
  listDefinitions: ofProject,
  createDefinition: { ...ofProject, body: () => ({ name: `definition-${crypto.randomUUID()}`, kind: 'entity' }) },
  getDefinition: ofDefinition,
  updateDefinition: { ...ofDefinition, body: () => ({ description: 'New.' }) },
  deleteDefinition: { ...ofDefinition, destroys: true },
  listDefinitionRevisions: ofDefinition,
  createDefinitionRevision: { ...ofDefinition, body: () => ({ source: definitionSource }) },
  getDefinitionRevision: {
    level: 'project',
    path: (ids) => ({ ...project(ids), definitionId: ids.definition, revisionId: ids.definitionRevision }),
  },
  previewDefinitionRevision: {
    level: 'project',
    path: (ids) => ({ ...project(ids), definitionId: ids.definition }),
    body: () => ({ source: definitionSource }),
    changesNothing: true,
  },
  getDefinitionRevisionMachine: {
    level: 'project',
    path: (ids) => ({ ...project(ids), definitionId: ids.definition, revisionId: ids.definitionRevision }),
  },
  simulateDefinitionRevision: {
    level: 'project',
    path: (ids) => ({ ...project(ids), definitionId: ids.definition, revisionId: ids.definitionRevision }),
    body: () => ({ steps: [] }),
    changesNothing: true,
  },
  importOperations: {
    level: 'project',
    path: (ids) => ({ ...project(ids), definitionId: ids.operationsDefinition }),
    body: () => ({ openapi: { openapi: '3.1.0', paths: {} }, connection: 'shop' }),
    changesNothing: true,
  },
  listReleases: ofProject,
  createRelease: { ...ofProject, body: (ids) => ({ agents: [{ agentId: ids.agent, agentRevisionId: ids.revision }] }) },
  getRelease: { ...ofProject, path: (ids) => ({ ...project(ids), releaseId: ids.release }) },
  diffRelease: {
    ...ofProject,
    path: (ids) => ({ ...project(ids), releaseId: ids.release }),
    query: ({ release: against }) => ({ against }),
  },
  searchTemplates: { level: 'catalogue' },
  getTemplate: { level: 'catalogue', path: ({ template }) => ({ templateId: template }) },
  listSystemAgents: { level: 'list' },
  updateSystemAgent: {
    level: 'platform',
    path: () => ({ agentId: 'agt_system_assistant' }),
    body: () => ({ enabled: true }),
  },
  getSystemAgent: { level: 'platform', path: () => ({ agentId: 'agt_system_assistant' }) },
}
