/** A process that takes numbers from a counter and prints them. Arguments: address, how many. */
import { Counter } from '../../../storage/counters.ts'
import { openStore } from '../../../storage/open.ts'

const [address = '', count = ''] = process.argv.slice(2)
const store = await openStore(address)
const counter = new Counter(store, 'steps')
const numbers: number[] = []
for (let index = 0; index < Number(count); index += 1) numbers.push(await counter.take())
await Bun.write(Bun.stdout, `${numbers.join('\n')}\n`)
await store.close()
