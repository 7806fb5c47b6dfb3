/** Accounts of people: verified addresses and new passwords. */
import type { Area } from '../../platform/area.ts'
import { accountRoutes } from './routes.ts'

export const userAccountsArea = { routes: accountRoutes } satisfies Area
