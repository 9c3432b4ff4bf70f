/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The static library has no hidden symbols: what its parts share gets the
 * library's prefix, so that it cannot collide with a program's own names.
 */
#ifndef ULIB_NAMESPACE_H
#define ULIB_NAMESPACE_H

#define text_printf rdmaev_text_printf
#define text_put rdmaev_text_put
#define text_name rdmaev_text_name
#define text_json rdmaev_text_json
#define text_key_name rdmaev_text_key_name
#define text_key_number rdmaev_text_key_number
#define text_pad rdmaev_text_pad
#define text_duration rdmaev_text_duration
#define text_time rdmaev_text_time
#define text_json_time rdmaev_text_json_time
#define text_guid rdmaev_text_guid
#define text_end rdmaev_text_end
#define facts rdmaev_facts
#define facts_count rdmaev_facts_count
#define fact_find rdmaev_fact_find
#define qp_states rdmaev_qp_states
#define qp_states_count rdmaev_qp_states_count
#define qp_state_find rdmaev_qp_state_find
#define kind_name rdmaev_kind_name
#define severity_name rdmaev_severity_name
#define object_name rdmaev_object_name
#define qp_type_name rdmaev_qp_type_name
#define gid_type_name rdmaev_gid_type_name
#define source_name rdmaev_source_name
#define ring_name rdmaev_ring_name
#define state_name rdmaev_state_name
#define phys_state_name rdmaev_phys_state_name
#define speed_name rdmaev_speed_name
#define width_name rdmaev_width_name
#define node_type_name rdmaev_node_type_name
#define link_layer_name rdmaev_link_layer_name
#define speed_rate rdmaev_speed_rate
#define width_lanes rdmaev_width_lanes
#define node_ops rdmaev_node_ops
#define netlink_ops rdmaev_netlink_ops
#define genl_open rdmaev_genl_open
#define genl_close rdmaev_genl_close
#define genl_begin rdmaev_genl_begin
#define genl_put rdmaev_genl_put
#define genl_put_u32 rdmaev_genl_put_u32
#define genl_nest_begin rdmaev_genl_nest_begin
#define genl_nest_end rdmaev_genl_nest_end
#define genl_send rdmaev_genl_send
#define genl_receive rdmaev_genl_receive
#define genl_renew rdmaev_genl_renew
#define genl_call rdmaev_genl_call
#define genl_find rdmaev_genl_find
#define attr_next rdmaev_attr_next
#define nl_is_filter rdmaev_nl_is_filter
#define nl_put_filter rdmaev_nl_put_filter
#define nl_list_devices rdmaev_nl_list_devices
#define nl_list_ports rdmaev_nl_list_ports
#define nl_list_counters rdmaev_nl_list_counters
#define nl_list_cqs rdmaev_nl_list_cqs
#define parse_info rdmaev_parse_info
#define parse_device rdmaev_parse_device
#define parse_port rdmaev_parse_port
#define parse_counter rdmaev_parse_counter
#define parse_cq rdmaev_parse_cq
#define parse_record rdmaev_parse_record
#define event_has_object rdmaev_event_has_object
#define format_json rdmaev_format_json
#define put_event_name rdmaev_put_event_name
#define put_other_name rdmaev_put_other_name

#endif /* ULIB_NAMESPACE_H */
