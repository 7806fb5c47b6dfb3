/** The outcomes of audited requests; the console knows them too. */
export const auditOutcomes = ['allowed', 'denied', 'failed'] as const
