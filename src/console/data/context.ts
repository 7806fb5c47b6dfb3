/** What pages reach the API with: one client and one cache for each organization that is looked at. */
import { createContext, useContext } from 'react'
import type { Api } from '../api/client.ts'
import type { Fetch } from '../api/transport.ts'
import type { Cache } from './cache.ts'

export interface Access {
  api: Api
  cache: Cache
  /** Where the API is, and how requests leave: for streams. */
  origin: string
  fetch: Fetch
}

export const AccessContext = createContext<Access | undefined>(undefined)

export function useAccess(): Access {
  const access = useContext(AccessContext)
  if (!access) throw new Error('there is no session around this')
  return access
}

/** The client of the API, for the organization in the address. */
export const useApi = (): Api => useAccess().api
