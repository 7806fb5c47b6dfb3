/** The fields that are fixed at the start of a run of a System Agent, for tests that store runs without the API. */
import type { RunSeed } from '../../src/runs/record.ts'

export const systemRun = (id: string, organizationId: string, at: number): RunSeed['row'] => ({
  id,
  organization_id: organizationId,
  project_id: null,
  environment_id: null,
  deployment_id: null,
  agent_id: 'agt_system_assistant',
  agent_revision_id: 'agr_1',
  agent_job_id: null,
  created_by_type: 'apiKey',
  created_by_id: 'key_1',
  subject_user_id: null,
  thread_key: null,
  query: null,
  binding: '{}',
  input_digest: `sha256:${'0'.repeat(64)}`,
  output_digest: null,
  runtime_version: '0',
  retention_expires_at: at,
  trace: null,
  forked_from: null,
  forked_at_checkpoint: null,
  created_at: at,
})
