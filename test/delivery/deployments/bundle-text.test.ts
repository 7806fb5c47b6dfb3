/** The text of a bundle is read as it was written, in pieces or not. Source: contract 3, "materializing". */
import { expect, test } from 'bun:test'
import type { Bundle } from '../../../src/delivery/deployments/bundle.ts'
import { readBundle, writeBundle } from '../../../src/delivery/deployments/bundle-text.ts'

const bundle = (lists: object): Bundle =>
  ({
    version: 1,
    organizationId: 'org_1',
    projectId: 'prj_1',
    environmentId: 'env_1',
    deploymentId: 'dep_1',
    releaseId: 'rel_1',
    configurationRevisionId: 'cfr_1',
    agents: [],
    definitions: [],
    variables: [],
    connections: [],
    ...lists,
  }) as Bundle
const agent = (instructions: string) => ({ agentId: 'agt_1', content: { instructions }, delegates: {} })

test.each([
  ['empty', bundle({})],
  ['with lines and brackets in its texts', bundle({ agents: [agent('],\n,"agents":[\r\n]}'), agent('\u2028')] })],
  [
    'with several items in each list',
    bundle({
      agents: [agent('one'), agent('two')],
      definitions: [{ name: 'shop', source: JSON.parse('{"operations": [{"__proto__": 1}]}') }],
      variables: [{ name: 'A' }, { name: 'B' }, { name: 'C' }],
      connections: [{ name: 'Shop', settings: { a: [1, 2] } }],
    }),
  ],
  ['of megabytes', bundle({ agents: Array.from({ length: 30 }, (_, at) => agent(`${at} ${'é'.repeat(50_000)}`)) })],
])('a bundle %s', async (_, written) => {
  const text = await writeBundle(written)
  expect(JSON.parse(text)).toEqual(written)
  expect(text.split('\n').length).toBe(
    5 + [written.agents, written.definitions, written.variables, written.connections].flat().length,
  )
  expect(await readBundle(text)).toEqual(written)
  // as earlier versions wrote it
  expect(await readBundle(JSON.stringify(written))).toEqual(written)
})
