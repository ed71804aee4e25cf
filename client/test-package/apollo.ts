// Compiles in a project with Apollo Client.
import { ApolloClient } from '@apollo/client';
import { curvetCache, curvetLink } from 'curvet-client/apollo';

export const client = new ApolloClient({
  cache: curvetCache(),
  link: curvetLink({ baseUrl: 'http://127.0.0.1:4000' }),
});
