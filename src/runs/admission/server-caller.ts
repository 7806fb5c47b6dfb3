import type { Caller } from '../../platform/http/guard/caller.ts'

/** The server's authority over one Environment: to run its Agents. */
export const serverCaller = ({ organizationId, projectId }: { organizationId: string; projectId: string }): Caller => ({
  principal: { type: 'user', id: '' },
  credentialId: '',
  userId: '',
  organizationId,
  organization: { slug: '', status: 'active' },
  scope: { projectId, environmentId: null, agentId: null },
  csrfToken: null,
  role: 'owner',
  permissions: new Set(['agent-runs:create']),
  granted: new Map(),
})
