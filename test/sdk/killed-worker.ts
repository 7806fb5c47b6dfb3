/** A worker that reports a call, and never answers it. */
import { Troupe } from '@troupe/sdk'

const { baseUrl, apiKey, projectId, environmentId } = JSON.parse(process.argv[2] as string)
const handler = () => {
  process.stdout.write('begun\n')
  return new Promise(() => {})
}
new Troupe({ baseUrl, apiKey }).worker({
  projectId,
  environmentId,
  queue: 'billing',
  operations: { 'shop.look': handler },
})
