/** A worker as users write one: it executes one long call, and is terminated meanwhile. */
import { Troupe } from '@troupe/sdk'

const { TROUPE_URL = '', TROUPE_KEY = '', PROJECT = '', ENVIRONMENT = '' } = process.env
const troupe = new Troupe({ baseUrl: TROUPE_URL, apiKey: TROUPE_KEY })
troupe.worker({
  projectId: PROJECT,
  environmentId: ENVIRONMENT,
  queue: 'billing',
  operations: {
    'shop.charge': async () => {
      console.log('begun')
      await new Promise((resolve) => setTimeout(resolve, 500))
      return 'ended in peace'
    },
  },
})
