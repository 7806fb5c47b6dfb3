/** All statecharts that are public: one line each. */
import type { Chart } from './chart.ts'
import { deletionChart } from './deletion-chart.ts'
import { deliveryChart } from './delivery-chart.ts'
import { deploymentChart } from './deployment-chart.ts'
import { environmentChart } from './environment-chart.ts'
import { runChart } from './run-chart.ts'

export const charts: readonly Chart[] = [runChart, environmentChart, deploymentChart, deliveryChart, deletionChart]
