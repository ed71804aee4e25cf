/** Whether a statement can change what others read. */
export const writes = (text: string): boolean => /\b(insert|update|delete|truncate|merge)\b/i.test(text);
