/** Examples of requests about Applies, promotions and roll-backs. */
import { digest, type Example, id } from './values.ts'

const manifest = {
  version: 1,
  project: { slug: 'shop' },
  agents: { clerk: { name: 'Clerk', content: { instructions: 'Answer questions about orders.' } } },
}

export const applyExamples: Record<string, Example> = {
  planApply: { request: { manifest, environment: 'development' } },
  createApply: { request: { manifest, environment: 'development', expectedPlanDigest: digest('6') } },
  createPromotion: {
    request: {
      projectId: id('prj'),
      fromEnvironmentId: id('env'),
      toEnvironmentId: 'env_01h455vb4pex5vsknk084sn02r',
      activate: true,
    },
  },
  rollBack: { request: { steps: 1, credentials: 'current' } },
}
