/** A process that dies when its call is committed, and before anybody hears of it. Arguments: path, bundle, call. */
import { DeployedBundle } from '../../../src/delivery/deployments/bundles.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { openEntities } from './store-world.ts'

const [, , path = '', bundle = '', call = ''] = process.argv
const { action, input, callKey } = JSON.parse(call)
const entities = await openEntities({ address: `sqlite:${path}`, clock: systemClock })
entities.actors.subscribe({ kind: 'entity' }, () => process.kill(process.pid, 'SIGKILL'))
await entities.perform({ bundle: new DeployedBundle(JSON.parse(bundle)) }, action, input, callKey)
// The signal is on its way.
await new Promise(() => {})
