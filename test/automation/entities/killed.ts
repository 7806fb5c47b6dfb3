/** A process that dies once its call is committed, before returning the result. Arguments: path, bundle, call. */
import { DeployedBundle } from '../../../src/delivery/deployments/bundles.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { openEntities } from './store-world.ts'

const [, , path = '', bundle = '', call = ''] = process.argv
const { action, input, callKey } = JSON.parse(call)
const entities = await openEntities({ address: `sqlite:${path}`, clock: systemClock })
entities.actors.subscribe({ kind: 'entity' }, () => process.kill(process.pid, 'SIGKILL'))
await entities.perform({ bundle: new DeployedBundle(JSON.parse(bundle)) }, action, input, callKey)
// Wait for the signal.
await new Promise(() => {})
